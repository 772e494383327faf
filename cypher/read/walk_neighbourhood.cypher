// The entities around one, hop by hop, with the relations found; stops at a bound.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: the entities of the last hop
//   known: all entities found so far
//   most: relations to look at
// Columns:
//   relation: what is shown of a relation of the last hop's entities, moments as text
//   source: id of the entity it starts at
//   target: id of the entity it ends at
CYPHER 25
UNWIND $uuids AS uuid
MATCH (entity:Entity {uuid: uuid})
WHERE entity.space = $space
CALL (entity) {
  MATCH (entity)-[relation:RELATES_TO]-(other:Entity)
  WITH relation, other ORDER BY other.uuid IN $known DESC, relation.strength DESC, relation.uuid
  LIMIT $most
  RETURN relation
}
WITH DISTINCT relation
ORDER BY relation.strength DESC, relation.uuid
LIMIT $most
RETURN relation {
  .uuid, .relation, .strength, .support, createdAt: toString(relation.createdAt), updatedAt: toString(relation.updatedAt)
} AS relation, startNode(relation).uuid AS source, endNode(relation).uuid AS target
