// Take back that a run has rolled evidence: it is live again where an active entity still holds it.
//
// Access: write
// Parameters:
//   runId: id of the run
//   space: name of the space
//   evidence: uuids of what the run was shown
// Columns:
//   unrolled: how many
UNWIND $evidence AS uuid
MATCH (evidence:Evidence {uuid: uuid})
WHERE evidence.space = $space AND evidence.rolledIn = $runId
REMOVE evidence.rolledIn
FOREACH (_ IN CASE WHEN EXISTS { (evidence)<-[:HAS_EVIDENCE]-(:ActiveEntity {state: 'ACTIVE'}) } THEN [1] ELSE [] END |
  SET evidence:LiveEvidence)
RETURN count(*) AS unrolled
