// The evidence behind statements, latest first.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of impressions and features
// Columns:
//   uuid: id of the statement
//   evidence: the node
UNWIND $uuids AS uuid
MATCH (statement:Impression|Feature {uuid: uuid})-[:SUPPORTED_BY]->(evidence:Evidence)
WHERE statement.space = $space
RETURN uuid, evidence
ORDER BY uuid, evidence.lastAt DESC, evidence.uuid
