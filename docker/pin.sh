#!/bin/sh
# Writes the digests that the tags of the images have now into Dockerfile and compose.yaml. Needs docker and a network.
set -eu
cd "$(dirname "$0")"

for image in $(sed -n 's/.*[=-]\([a-z0-9]*:[a-z0-9.-]*\)@sha256:.*/\1/p' Dockerfile compose.yaml); do
  digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
  case "$digest" in
    sha256:????????????????????????????????????????????????????????????????) ;;
    *)
      echo "$image has no digest: $digest" >&2
      exit 5
      ;;
  esac
  for file in Dockerfile compose.yaml; do
    sed "s/$image@sha256:[0-9a-f]*/$image@$digest/" "$file" >"$file.new"
    cat "$file.new" >"$file"
    rm "$file.new"
  done
  echo "$image@$digest"
done
