// Read what a run has changed.
//
// Access: read
// Parameters:
//   runId: id of the run
//   space: name of the space
// Columns:
//   changes: JSON of the changes of each step, in order
//   forgotten: whether an entity that the step was about was forgotten, and what it changed with it
MATCH (run:UpdateRun {runId: $runId})-[has:HAS_STEP]->(step:UpdateStep)
WHERE run.space = $space
RETURN step.changes AS changes, step.payload = '{}' AND step.changes = '[]' AS forgotten
ORDER BY has.order
