// Read the entities that rows of an import may mean: those called by one of the subjects, those with one of the ids.
//
// Access: read
// Parameters:
//   space: name of the space
//   subjects: identity keys of subjects
//   ids: ids from outside, or of entities
// Columns:
//   uuid: id of the entity
//   externalId: the id its source gave it, or null
//   subject: its canonical name
//   subjectKey: identity key of that name
//   names: identity keys of all its names
//   impressions: [{uuid, key, confidence}]
//   features: [{uuid, key, confidence}]
CALL () {
  UNWIND $subjects AS key
  MATCH (:Alias {space: $space, key: key})<-[:KNOWN_AS {kind: 'SUBJECT'}]-(entity:Entity)
  RETURN entity
  UNION
  UNWIND $ids AS id
  MATCH (entity:Entity {space: $space, externalId: id})
  RETURN entity
  UNION
  UNWIND $ids AS id
  MATCH (entity:Entity {uuid: id})
  WHERE entity.space = $space
  RETURN entity
}
RETURN entity.uuid AS uuid, entity.externalId AS externalId, entity.subject AS subject,
  head(COLLECT { MATCH (entity)-[:KNOWN_AS {kind: 'SUBJECT'}]->(alias:Alias) RETURN alias.key }) AS subjectKey,
  COLLECT { MATCH (entity)-[:KNOWN_AS]->(alias:Alias) RETURN alias.key } AS names,
  COLLECT {
    MATCH (entity)-[:HAS_IMPRESSION]->(statement:Impression)
    RETURN {uuid: statement.uuid, key: statement.key, confidence: statement.confidence}
  } AS impressions,
  COLLECT {
    MATCH (entity)-[:HAS_FEATURE]->(statement:Feature)
    RETURN {uuid: statement.uuid, key: statement.key, confidence: statement.confidence}
  } AS features
