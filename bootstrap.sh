#!/bin/sh
# Makes or mends .venv: what requirements.lock names, nothing else, and this checkout. Needs Python 3.11 or newer and pip.
# A machine's own uv is used where there is one; else pip fetches the one named in bootstrap.txt into .venv.
set -eu
cd "$(dirname "$0")"

fail() {
  printf '%s\n' "$@" >&2
  exit 5
}

is_new_enough() {
  command -v "$1" >/dev/null 2>&1 && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
  for name in ${PYTHON:-python3 python python3.14 python3.13 python3.12 python3.11}; do
    if is_new_enough "$name"; then
      echo "$name"
      return
    fi
  done
  fail "Python 3.11 or newer is needed; tried: ${PYTHON:-python3, python, python3.14 … python3.11}." \
    "Install one, or name it: make ${VERB:-setup} PYTHON=/path/to/python3"
}

# pip comes from the Python that makes .venv, or from that Python's own copy.
fetch_uv() {
  if "$python" -m pip --version >/dev/null 2>&1; then
    set -- "$python" -m pip --python .venv/bin/python
  elif .venv/bin/python -m ensurepip >/dev/null 2>&1; then
    set -- .venv/bin/python -m pip
  else
    fail "$python has no pip. Install it (Debian, Ubuntu: apt install python3-pip) or put uv on the PATH, and try again."
  fi
  "$@" install --quiet --disable-pip-version-check --require-hashes -r bootstrap.txt
}

python=$(find_python)
if ! is_new_enough .venv/bin/python; then
  echo "Making .venv with $("$python" --version)"
  rm -rf .venv
  "$python" -m venv --without-pip .venv
fi

export UV_COMPILE_BYTECODE=1 # importing torch takes three times as long without
export VIRTUAL_ENV="$PWD/.venv"
if command -v uv >/dev/null 2>&1; then
  uv=uv
  set -- requirements.lock
else
  echo "Fetching uv into .venv"
  [ -x .venv/bin/uv ] || fetch_uv
  uv=.venv/bin/uv
  set -- requirements.lock bootstrap.txt # a sync removes what it is not told of: uv, too
fi

echo "Installing what requirements.lock names (the first time about 3 GB to download, most of it PyTorch)"
"$uv" pip sync --require-hashes "$@"
"$uv" pip install --quiet --no-deps --no-build-isolation --editable .
