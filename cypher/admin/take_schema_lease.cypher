// Take the right to change the schema, unless another process holds it and its lease still runs.
//
// Access: write
// Parameters:
//   owner: a token of this process
//   seconds: how long the lease lasts
// Columns:
//   taken: whether this process holds the lease now
//   schemaVersion: the version that stands, null on an empty database
//   embeddingModel: the model behind the stored vectors, null before the first service
//   dimensions: the length of the stored vectors, null before the first service
//   reindexModel: the model of a reindex that is not finished, null where there is none
//   reindexDimensions: the length of its vectors
MERGE (meta:ServiceMeta {name: 'service'})
SET meta.asked = $owner
WITH meta, coalesce(meta.lockedUntil < datetime(), true) OR meta.lock = $owner AS taken
SET meta.lock = CASE WHEN taken THEN $owner ELSE meta.lock END,
    meta.lockedUntil = CASE WHEN taken THEN datetime() + duration({seconds: $seconds}) ELSE meta.lockedUntil END
RETURN taken, meta.schemaVersion AS schemaVersion, meta.embeddingModel AS embeddingModel, meta.dimensions AS dimensions,
  meta.reindexModel AS reindexModel, meta.reindexDimensions AS reindexDimensions
