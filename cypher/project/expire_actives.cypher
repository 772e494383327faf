// Let active entities go: they keep their evidence as provenance, but neither is recalled any more.
//
// Access: write
// Parameters:
//   runtimeIds: the active entities to expire
// Columns:
//   expired: how many were live until now
UNWIND $runtimeIds AS runtimeId
MATCH (active:ActiveEntity {runtimeId: runtimeId})
WHERE active.state = 'ACTIVE'
SET active.state = 'EXPIRED'
REMOVE active.liveKey
WITH active
CALL (active) {
  MATCH (active)-[:HAS_EVIDENCE]->(evidence:LiveEvidence)
  WHERE NOT EXISTS { (evidence)<-[:HAS_EVIDENCE]-(:ActiveEntity {state: 'ACTIVE'}) }
  REMOVE evidence:LiveEvidence
}
RETURN count(active) AS expired
