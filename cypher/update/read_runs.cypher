// Read runs; those that are not there, or in another space, are left out.
//
// Access: read
// Parameters:
//   runIds: ids of the runs
//   space: name of the space
// Columns:
//   run: its properties
MATCH (run:UpdateRun)
WHERE run.runId IN $runIds AND run.space = $space
RETURN properties(run) AS run
