// The steps of a run as they landed, for people.
//
// Access: read
// Parameters:
//   runIds: ids of runs
//   space: name of the space
// Columns:
//   runId: the run
//   diff: JSON of a step's diff
UNWIND $runIds AS runId
MATCH (run:UpdateRun {runId: runId})-[has:HAS_STEP]->(step:UpdateStep)
WHERE run.space = $space AND step.diff IS NOT NULL
RETURN runId, step.diff AS diff
ORDER BY runId, has.order
