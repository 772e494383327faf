// Write down what the database was made with, and let go of the schema. Whose the vectors are is written once, by the
// first service; only a reindex changes it.
//
// Access: write
// Parameters:
//   owner: the token that took the lease
//   schemaVersion: the version that stands now
//   embeddingModel: name of the embedding model
//   dimensions: length of its vectors
// Columns:
//   released: 1 when the lease was ours
MATCH (meta:ServiceMeta {name: 'service', lock: $owner})
SET meta.schemaVersion = $schemaVersion, meta.embeddingModel = coalesce(meta.embeddingModel, $embeddingModel),
  meta.dimensions = coalesce(meta.dimensions, $dimensions)
REMOVE meta.lock, meta.lockedUntil, meta.asked
RETURN count(meta) AS released
