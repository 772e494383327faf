// The impressions and features of entities, the best supported first.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of entities
// Columns:
//   uuid: id of the entity
//   statement: the node
UNWIND $uuids AS uuid
MATCH (entity:Entity {uuid: uuid})-[:HAS_IMPRESSION|HAS_FEATURE]->(statement)
WHERE entity.space = $space
RETURN uuid, statement
ORDER BY uuid, statement.support DESC, statement.confidence DESC, statement.text, statement.uuid
