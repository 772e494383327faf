// The evidence of active entities, latest first, up to a bound for each.
//
// Access: read
// Parameters:
//   space: name of the space
//   runtimeIds: ids of active entities
//   most: evidence of one active entity at most
// Columns:
//   runtimeId: id of the active entity
//   evidence: what is shown of it, moments as text
//   confidence: how sure it is that the evidence is about it
CYPHER 25
UNWIND $runtimeIds AS runtimeId
MATCH (active:ActiveEntity {runtimeId: runtimeId})
WHERE active.space = $space
CALL (active) {
  MATCH (active)-[link:HAS_EVIDENCE]->(evidence:Evidence)
  WITH link, evidence ORDER BY evidence.lastAt DESC, evidence.uuid
  LIMIT $most
  RETURN evidence, link.associationConfidence AS confidence
}
RETURN runtimeId, evidence {
  .uuid, .content, .source, .speaker, firstAt: toString(evidence.firstAt), lastAt: toString(evidence.lastAt)
} AS evidence, confidence
