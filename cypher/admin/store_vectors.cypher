// Store the vectors of one page and how far the reindex is, both or neither. What was deleted meanwhile stays deleted.
//
// Access: write
// Parameters:
//   owner: the token that took the reindex
//   seconds: how long its lease lasts from now
//   page: {cursor: uuid of the page's last node, seen: how many nodes are done, vectors: [{uuid, embedding: VECTOR}]}
// Columns:
//   stored: how many vectors; no row where the reindex is somebody else's by now
CYPHER 25
MATCH (meta:ServiceMeta {name: 'service'})
SET meta.asked = $owner
REMOVE meta.asked
WITH meta WHERE meta.reindexOwner = $owner
SET meta.reindexCursor = $page.cursor, meta.reindexSeen = $page.seen,
  meta.reindexUntil = datetime() + duration({seconds: $seconds})
WITH meta
CALL (meta) {
  UNWIND $page.vectors AS new
  MATCH (node:Impression|Feature|Superseded|Evidence {uuid: new.uuid})
  SET node.embedding = toFloatList(new.embedding)
  RETURN count(node) AS stored
}
RETURN stored
