// The features of entities, the best supported first, up to a bound for each entity.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of entities
//   most: features of one entity at most
// Columns:
//   uuid: id of the entity
//   statement: what is shown of it, moments as text
CYPHER 25
UNWIND $uuids AS uuid
MATCH (entity:Entity {uuid: uuid})
WHERE entity.space = $space
CALL (entity) {
  MATCH (entity)-[:HAS_FEATURE]->(statement:Feature)
  WITH statement ORDER BY statement.support DESC, statement.confidence DESC, statement.text, statement.uuid
  LIMIT $most
  RETURN statement
}
RETURN uuid, statement {
  .uuid, .text, .confidence, .support, createdAt: toString(statement.createdAt), updatedAt: toString(statement.updatedAt)
} AS statement
