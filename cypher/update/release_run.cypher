// Let go of a run that is not at its end: whoever comes next may go on with it at once.
//
// Access: write
// Parameters:
//   runId: id of the run
//   space: name of the space
//   owner: token of this process
//   wait: whether it waits for somebody's word, so that nobody takes it over unasked
// Columns:
//   released: 1, or 0 where it has ended or another process has taken it over
CYPHER 25
MATCH (run:UpdateRun {runId: $runId})
WHERE run.space = $space AND run.owner = $owner
SET run.owner = CASE WHEN $wait THEN null ELSE run.owner END,
  run.leaseUntil = CASE WHEN $wait THEN null ELSE datetime() - duration({milliseconds: 1}) END
RETURN count(run) AS released
