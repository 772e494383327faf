// Keep the right to embed everything anew for a while longer.
//
// Access: write
// Parameters:
//   owner: the token that took it
//   seconds: how long it lasts from now
// Columns:
//   held: 1 when it is still ours
MATCH (meta:ServiceMeta {name: 'service'})
// The write is the lock: what is read after it holds until the end.
SET meta.asked = $owner
REMOVE meta.asked
WITH meta WHERE meta.reindexOwner = $owner
SET meta.reindexUntil = datetime() + duration({seconds: $seconds})
RETURN count(meta) AS held
