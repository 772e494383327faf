// Let go of a reindex that is not finished, for the next run to go on with at once.
//
// Access: write
// Parameters:
//   owner: the token that took it
// Columns:
//   released: 1 when it was ours
MATCH (meta:ServiceMeta {name: 'service'})
SET meta.asked = $owner
REMOVE meta.asked
WITH meta WHERE meta.reindexOwner = $owner
REMOVE meta.reindexOwner, meta.reindexUntil
RETURN count(meta) AS released
