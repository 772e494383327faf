// Take an abandoned run over, unless another process was faster or its owner is back.
//
// Access: write
// Parameters:
//   runId: id of the run
//   space: name of the space
//   owner: token of this process
//   seconds: how long its lease on the run lasts
// Columns:
//   run: properties of the run
//   takeovers: how often it was taken over, this time included
CYPHER 25
MATCH (run:UpdateRun {runId: $runId})
WHERE run.space = $space
SET run.asked = $owner
REMOVE run.asked
WITH run
WHERE run.leaseUntil < datetime()
SET run.owner = $owner, run.leaseUntil = datetime() + duration({seconds: $seconds}),
  run.takeovers = coalesce(run.takeovers, 0) + 1
RETURN properties(run) AS run, run.takeovers AS takeovers
