// Read one run.
//
// Access: read
// Parameters:
//   runId: id of the run
//   space: name of the space
// Columns:
//   run: its properties
MATCH (run:UpdateRun {runId: $runId})
WHERE run.space = $space
RETURN properties(run) AS run
