// Read what a run has changed, and the evidence it rolled.
//
// Access: read
// Parameters:
//   runId: id of the run
//   space: name of the space
// Columns:
//   changes: JSON of the changes of each step, in order
MATCH (run:UpdateRun {runId: $runId})-[has:HAS_STEP]->(step:UpdateStep)
WHERE run.space = $space
RETURN step.changes AS changes
ORDER BY has.order
