// The next nodes with a vector, of all spaces, in the order of their uuids: statements, replaced ones too, for an undo
// brings them back, and evidence. A node keeps its place in this order whatever becomes of it.
//
// Access: read
// Parameters:
//   after: uuid of the last node that was read, empty at the beginning
//   limit: how many at most
// Columns:
//   uuid: id of the node
//   text: what its vector is of; null for evidence without one, which stays so
//   said: whether it is evidence
CYPHER 25
CALL () {
  MATCH (node:Impression) WHERE node.uuid > $after
  RETURN node, node.uuid AS uuid ORDER BY uuid LIMIT $limit
  UNION ALL
  MATCH (node:Feature) WHERE node.uuid > $after
  RETURN node, node.uuid AS uuid ORDER BY uuid LIMIT $limit
  UNION ALL
  MATCH (node:Superseded) WHERE node.uuid > $after
  RETURN node, node.uuid AS uuid ORDER BY uuid LIMIT $limit
  UNION ALL
  MATCH (node:Evidence) WHERE node.uuid > $after
  RETURN node, node.uuid AS uuid ORDER BY uuid LIMIT $limit
}
WITH node, uuid ORDER BY uuid LIMIT $limit
RETURN uuid, CASE WHEN node:Evidence THEN CASE WHEN node.embedding IS NOT NULL THEN node.content END ELSE node.text END
  AS text, node:Evidence AS said
