// What one projection writes, without asking what stands already.
//
// Access: write
// Parameters:
//   space: name of the space
//   conversation: name of the conversation
//   at: moment of the input
//   links: rows of a projection: {runtimeId, new, entity, confidence, reasons, names, statements}
//   evidence: {uuid, hash, content, terms, source, speaker, embedding: VECTOR or null}
CYPHER 25
CREATE (evidence:Evidence:LiveEvidence {
  space: $space, hash: $evidence.hash, uuid: $evidence.uuid, conversation: $conversation, content: $evidence.content,
  terms: $evidence.terms, source: $evidence.source, speaker: $evidence.speaker, firstAt: $at, lastAt: $at,
  embedding: toFloatList($evidence.embedding)
})
WITH evidence
UNWIND $links AS each
CALL (each) {
  WITH each WHERE each.new
  CREATE (active:ActiveEntity {
    liveKey: each.runtimeId, runtimeId: each.runtimeId, space: $space, conversation: $conversation, state: 'ACTIVE',
    createdAt: $at
  })
  WITH active, each
  OPTIONAL MATCH (entity:Entity {uuid: each.entity})
  FOREACH (bound IN CASE WHEN entity IS NULL THEN [] ELSE [entity] END | CREATE (active)-[:BOUND_TO]->(bound))
  RETURN active
  UNION ALL
  WITH each WHERE NOT each.new
  MATCH (active:ActiveEntity {runtimeId: each.runtimeId})
  RETURN active
}
CREATE (active)-[:HAS_EVIDENCE {associationConfidence: each.confidence, reasons: each.reasons}]->(evidence)
SET active.lastMentionedAt = $at, active.lastConfidence = each.confidence
WITH active, each
CALL (each) { MATCH (entity:Entity {uuid: each.entity}) SET entity.lastMentionedAt = $at }
CALL (active, each) {
  UNWIND each.names AS name
  MERGE (alias:Alias {space: $space, key: name.key})
  CREATE (active)-[:MENTIONED_AS {text: name.text}]->(alias)
}
CALL (active, each) {
  UNWIND each.statements AS touched
  MATCH (statement:Impression|Feature {uuid: touched.uuid})
  CREATE (active)-[:PROJECTS {score: touched.score, at: $at}]->(statement)
}
