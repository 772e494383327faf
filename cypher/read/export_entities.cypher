// Read a page of everything that is known about the entities of a space, in the order of subject and id. The uuid
// that every entity has and the space in the order are there for the index on (space, subject, uuid): so a page starts
// where it begins and ends when it is full, however large the space.
//
// Access: read
// Parameters:
//   space: name of the space
//   subject: subject of the last entity of the page before, '' for the first page
//   id: id of that entity, '' for the first page
//   limit: most entities in the page
// Columns:
//   id: the id its source gave the entity, else its uuid
//   subject: its canonical name
//   aliases: [{text, deprecated}] its other names
//   impressions: [{text, confidence}]
//   features: [{text, confidence}]
//   relations: [{relation, strength, id, subject}] with the id and subject of the target
MATCH (entity:Entity)
WHERE entity.space = $space AND entity.subject >= $subject AND entity.uuid IS NOT NULL
WITH entity, coalesce(entity.externalId, entity.uuid) AS id
WHERE entity.subject > $subject OR id > $id
ORDER BY entity.space, entity.subject, id
LIMIT $limit
RETURN id, entity.subject AS subject,
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
    RETURN {
      relation: relation.relation, strength: relation.strength,
      id: coalesce(target.externalId, target.uuid), subject: target.subject
    }
  } AS relations
