// Remove a conversation whole: what it was about, what was said, and the names it alone brought up. For conversations
// that are played, as the demo's: what people said is kept as provenance instead.
//
// Access: write
// Parameters:
//   space: name of the space
//   conversation: name of the conversation
// Columns:
//   removed: number of active entities and evidence
CYPHER 25
OPTIONAL MATCH (active:ActiveEntity {space: $space, conversation: $conversation})
OPTIONAL MATCH (active)-[:MENTIONED_AS]->(alias:Alias)
WITH collect(DISTINCT active) AS actives, collect(DISTINCT alias) AS aliases
OPTIONAL MATCH (evidence:Evidence {space: $space, conversation: $conversation})
WHERE NOT EXISTS { (evidence)<-[:SUPPORTED_BY]-() }
WITH actives, aliases, collect(evidence) AS told
FOREACH (each IN actives + told | DETACH DELETE each)
WITH aliases, size(actives) + size(told) AS removed
CALL (aliases) {
  UNWIND aliases AS alias
  FILTER NOT EXISTS { (alias)<--() }
  DELETE alias
}
RETURN removed
