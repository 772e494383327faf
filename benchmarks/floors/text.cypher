// One full-text query.
//
// Access: read
// Parameters:
//   memoryQueries: one full-text query, or none
//   textLimit: how many hits
// Columns:
//   hits: how many there were
CYPHER 25
UNWIND $memoryQueries AS query
CALL db.index.fulltext.queryNodes('memory_terms', query, {limit: $textLimit}) YIELD node
RETURN count(node) AS hits
