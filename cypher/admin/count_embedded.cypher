// How many nodes may hold a vector, from the counts the server keeps.
//
// Access: read
// Columns:
//   statements: impressions and features
//   replaced: statements that were replaced or removed
//   evidence: evidence, with or without a vector
CYPHER 25
CALL () { MATCH (impression:Impression) RETURN count(impression) AS impressions }
CALL (impressions) { MATCH (feature:Feature) RETURN count(feature) AS features }
CALL (features) { MATCH (replaced:Superseded) RETURN count(replaced) AS replaced }
CALL (replaced) { MATCH (evidence:Evidence) RETURN count(evidence) AS evidence }
RETURN impressions + features AS statements, replaced, evidence
