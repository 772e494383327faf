// The relations of entities, in both directions, the strongest first, up to a bound for each entity.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of entities
//   most: relations of one entity at most
// Columns:
//   uuid: id of the entity asked for
//   relation: what is shown of it, moments as text
//   source: id of the entity it starts at
//   target: id of the entity it ends at
CYPHER 25
UNWIND $uuids AS uuid
MATCH (entity:Entity {uuid: uuid})
WHERE entity.space = $space
CALL (entity) {
  MATCH (entity)-[relation:RELATES_TO]-(:Entity)
  WITH DISTINCT relation ORDER BY relation.strength DESC, relation.relation, relation.uuid
  LIMIT $most
  RETURN relation
}
RETURN uuid, relation {
  .uuid, .relation, .strength, .support, createdAt: toString(relation.createdAt), updatedAt: toString(relation.updatedAt)
} AS relation, startNode(relation).uuid AS source, endNode(relation).uuid AS target
