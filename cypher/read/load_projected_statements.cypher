// The statements that a conversation touched, of active entities, the strongest hit first, up to a bound for each.
//
// Access: read
// Parameters:
//   space: name of the space
//   runtimeIds: ids of active entities
//   most: statements of one active entity at most
// Columns:
//   runtimeId: id of the active entity
//   statement: what is shown of it, moments as text
//   score: strength of the hit
//   at: moment of the latest hit, as text
CYPHER 25
UNWIND $runtimeIds AS runtimeId
MATCH (active:ActiveEntity {runtimeId: runtimeId})
WHERE active.space = $space
CALL (active) {
  MATCH (active)-[projects:PROJECTS]->(statement:Impression|Feature)
  WITH projects, statement ORDER BY projects.score DESC, statement.uuid
  LIMIT $most
  RETURN statement, projects.score AS score, projects.at AS at
}
RETURN runtimeId, statement {
  .uuid, .text, .confidence, .support, createdAt: toString(statement.createdAt), updatedAt: toString(statement.updatedAt),
  kind: CASE WHEN statement:Impression THEN 'Impression' ELSE 'Feature' END
} AS statement,
  score, toString(at) AS at
