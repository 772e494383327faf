// Keep a run that is still being worked on from being taken for an abandoned one.
//
// Access: write
// Parameters:
//   runId: id of the run
//   space: name of the space
//   owner: token of this process
//   seconds: how long the lease lasts from now on
// Columns:
//   renewed: 1, or 0 where another process has taken it over
CYPHER 25
MATCH (run:UpdateRun {runId: $runId})
WHERE run.space = $space AND run.owner = $owner
SET run.leaseUntil = datetime() + duration({seconds: $seconds})
RETURN count(run) AS renewed
