// Whose a statement is, or where a relation starts.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuid: id of an impression, a feature or a relation
// Columns:
//   statementOwner: id of the entity the statement is of, or null
//   relationSource: id of the entity the relation starts at, or null
CYPHER 25
RETURN
  head(COLLECT {
    MATCH (statement:Impression|Feature {uuid: $uuid})<-[:HAS_IMPRESSION|HAS_FEATURE]-(entity:Entity)
    WHERE statement.space = $space
    RETURN entity.uuid
  }) AS statementOwner,
  head(COLLECT {
    MATCH (entity:Entity)-[relation:RELATES_TO {uuid: $uuid}]->(:Entity)
    WHERE relation.space = $space
    RETURN entity.uuid
  }) AS relationSource
