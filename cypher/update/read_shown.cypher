// The active entities a run looks at with the evidence it was shown, whoever has rolled it by now.
//
// Access: read
// Parameters:
//   space: name of the space
//   runtimeIds: the active entities
//   evidence: uuids of the evidence that was shown
// Columns:
//   runtimeId: id of the active entity
//   subject: canonical name of the entity it is bound to, else what it was first called
//   bound: id of that entity
//   liveKey: under which it lives; null for an expired one
//   mentions: names it was mentioned by
//   lastMentionedAt: moment of the last mention
//   evidence: {id, text, source, speaker, at}, oldest first
CYPHER 25
UNWIND $runtimeIds AS runtimeId
MATCH (active:ActiveEntity {runtimeId: runtimeId})
WHERE active.space = $space
CALL (active) {
  MATCH (active)-[:HAS_EVIDENCE]->(evidence:Evidence)
  WHERE evidence.uuid IN $evidence
  WITH evidence ORDER BY evidence.lastAt, evidence.uuid
  RETURN collect({
    id: evidence.uuid, text: evidence.content, source: evidence.source, speaker: evidence.speaker, at: evidence.lastAt
  }) AS evidence
}
OPTIONAL MATCH (active)-[:BOUND_TO]->(entity:Entity)
RETURN active.runtimeId AS runtimeId, coalesce(entity.subject, active.subject) AS subject, entity.uuid AS bound,
  active.liveKey AS liveKey, [(active)-[mention:MENTIONED_AS]->(:Alias) | mention.text] AS mentions,
  active.lastMentionedAt AS lastMentionedAt, evidence
ORDER BY lastMentionedAt, runtimeId
