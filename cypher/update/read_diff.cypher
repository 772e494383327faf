// The steps of a run as they landed, for people.
//
// Access: read
// Parameters:
//   runId: id of the run
//   space: name of the space
// Columns:
//   diff: JSON of a step's diff
MATCH (run:UpdateRun {runId: $runId})-[has:HAS_STEP]->(step:UpdateStep)
WHERE run.space = $space AND step.diff IS NOT NULL
RETURN step.diff AS diff
ORDER BY has.order
