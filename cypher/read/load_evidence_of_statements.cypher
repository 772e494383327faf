// The evidence behind statements, latest first, up to a bound for each.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of impressions and features
//   most: evidence of one statement at most
// Columns:
//   uuid: id of the statement
//   evidence: what is shown of it, moments as text
CYPHER 25
UNWIND $uuids AS uuid
MATCH (statement:Impression|Feature {uuid: uuid})
WHERE statement.space = $space
CALL (statement) {
  MATCH (statement)-[:SUPPORTED_BY]->(evidence:Evidence)
  WITH evidence ORDER BY evidence.lastAt DESC, evidence.uuid
  LIMIT $most
  RETURN evidence
}
RETURN uuid, evidence {
  .uuid, .content, .source, .speaker, firstAt: toString(evidence.firstAt), lastAt: toString(evidence.lastAt)
} AS evidence
