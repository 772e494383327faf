// The evidence behind relations, latest first, up to a bound for each.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of relations
//   most: evidence of one relation at most
// Columns:
//   uuid: id of the relation
//   evidence: what is shown of it, moments as text
CYPHER 25
UNWIND $uuids AS uuid
MATCH ()-[relation:RELATES_TO {uuid: uuid}]->()
WHERE relation.space = $space
CALL (relation) {
  UNWIND relation.evidence AS id
  MATCH (evidence:Evidence {uuid: id})
  WITH evidence ORDER BY evidence.lastAt DESC, evidence.uuid
  LIMIT $most
  RETURN evidence
}
RETURN uuid, evidence {
  .uuid, .content, .source, .speaker, firstAt: toString(evidence.firstAt), lastAt: toString(evidence.lastAt)
} AS evidence
