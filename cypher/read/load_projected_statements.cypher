// The statements that a conversation touched, of active entities, the strongest hit first.
//
// Access: read
// Parameters:
//   space: name of the space
//   runtimeIds: ids of active entities
// Columns:
//   runtimeId: id of the active entity
//   statement: the node
//   score: strength of the hit
//   at: moment of the latest hit
UNWIND $runtimeIds AS runtimeId
MATCH (active:ActiveEntity {runtimeId: runtimeId})-[projects:PROJECTS]->(statement:Impression|Feature)
WHERE active.space = $space
RETURN runtimeId, statement, projects.score AS score, projects.at AS at
ORDER BY runtimeId, score DESC, statement.uuid
