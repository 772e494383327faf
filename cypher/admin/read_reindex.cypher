// Read how far a reindex is.
//
// Access: read
// Columns:
//   seen: how many nodes are done; null where no reindex is under way
//   running: whether a run holds the reindex now
MATCH (meta:ServiceMeta {name: 'service'})
RETURN meta.reindexSeen AS seen, coalesce(meta.reindexUntil >= datetime(), false) AS running
