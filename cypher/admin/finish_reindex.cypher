// Write down whose the vectors are from now on: services of that model may start.
//
// Access: write
// Parameters:
//   owner: the token that took the reindex
// Columns:
//   finished: 1 when it was ours
MATCH (meta:ServiceMeta {name: 'service'})
SET meta.asked = $owner
REMOVE meta.asked
WITH meta WHERE meta.reindexOwner = $owner
SET meta.embeddingModel = meta.reindexModel, meta.dimensions = meta.reindexDimensions
REMOVE meta.reindexModel, meta.reindexDimensions, meta.reindexSince, meta.reindexCursor, meta.reindexSeen,
  meta.reindexOwner, meta.reindexUntil
RETURN count(meta) AS finished
