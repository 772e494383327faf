// The evidence behind relations, latest first.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of relations
// Columns:
//   uuid: id of the relation
//   evidence: the node
UNWIND $uuids AS uuid
MATCH ()-[relation:RELATES_TO {uuid: uuid}]->()
WHERE relation.space = $space
UNWIND relation.evidence AS id
MATCH (evidence:Evidence {uuid: id})
RETURN uuid, evidence
ORDER BY uuid, evidence.lastAt DESC, evidence.uuid
