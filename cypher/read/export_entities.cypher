// Read everything that is known about some entities of a space; those that are gone are left out.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of the entities
// Columns:
//   uuid: id of the entity
//   revision: what it was like: grows with every write to what is known about it
//   id: the id its source gave the entity, else its uuid
//   subject: its canonical name
//   aliases: [{text, deprecated}] its other names
//   impressions: [{text, confidence}]
//   features: [{text, confidence}]
//   relations: [{relation, strength, target}] with the uuid of the target
UNWIND $uuids AS uuid
MATCH (entity:Entity {uuid: uuid})
WHERE entity.space = $space
RETURN entity.uuid AS uuid, entity.revision AS revision, coalesce(entity.externalId, entity.uuid) AS id,
  entity.subject AS subject,
  COLLECT {
    MATCH (entity)-[known:KNOWN_AS {kind: 'ALIAS'}]->(:Alias)
    RETURN {text: known.text, deprecated: known.deprecated}
  } AS aliases,
  COLLECT {
    MATCH (entity)-[:HAS_IMPRESSION]->(statement:Impression)
    RETURN {text: statement.text, confidence: statement.confidence}
  } AS impressions,
  COLLECT {
    MATCH (entity)-[:HAS_FEATURE]->(statement:Feature)
    RETURN {text: statement.text, confidence: statement.confidence}
  } AS features,
  COLLECT {
    MATCH (entity)-[relation:RELATES_TO]->(target:Entity)
    RETURN {relation: relation.relation, strength: relation.strength, target: target.uuid}
  } AS relations
