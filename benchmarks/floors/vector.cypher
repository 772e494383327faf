// One vector query.
//
// Access: read
// Parameters:
//   space: name of the space
//   vectors: the text's vector, or none
//   vectorLimit: how many hits
// Columns:
//   hits: how many there were
CYPHER 25
UNWIND $vectors AS vector
MATCH (node:Impression|Feature)
SEARCH node IN (VECTOR INDEX statement_vectors FOR vector WHERE node.space = $space LIMIT $vectorLimit)
RETURN count(node) AS hits
