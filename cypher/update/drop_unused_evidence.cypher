// Delete rolled messages that became evidence for a run that is taken back, unless something else rests on them.
//
// Access: write
// Parameters:
//   space: name of the space
//   evidence: uuids of what the run rested on
// Columns:
//   dropped: how many
UNWIND $evidence AS uuid
MATCH (evidence:Evidence {uuid: uuid})
WHERE evidence.space = $space AND evidence.source = 'ROLLING'
  AND NOT EXISTS { (evidence)<-[:HAS_EVIDENCE|SUPPORTED_BY]-() }
DETACH DELETE evidence
RETURN count(*) AS dropped
