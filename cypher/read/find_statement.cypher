// Whether an entity has a statement, of either kind.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuid: id of the entity
//   key: identity key of the statement's text
// Columns:
//   found: whether it has
CYPHER 25
RETURN EXISTS {
  MATCH (entity:Entity {uuid: $uuid})-[:HAS_IMPRESSION|HAS_FEATURE]->(statement)
  WHERE entity.space = $space AND statement.key = $key
} AS found
