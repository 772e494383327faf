// Start a run under its key, or find the one that stands: the same thing sent twice is one run.
//
// Access: write
// Parameters:
//   space: name of the space
//   key: the caller's key, or the hash of what was sent
//   run: properties of the run
//   owner: token of this process
//   seconds: how long its lease on the run lasts
// Columns:
//   run: properties of the run that stands now
//   created: whether it is a new one
CYPHER 25
MERGE (run:UpdateRun {space: $space, key: $key})
  ON CREATE SET run += $run, run.owner = $owner, run.leaseUntil = datetime() + duration({seconds: $seconds})
RETURN properties(run) AS run, run.runId = $run.runId AS created
