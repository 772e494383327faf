// Claim a confirmed run for applying it, once: the status is compared and set under the run's lock.
//
// Access: write
// Parameters:
//   runId: id of the run
//   space: name of the space
//   from: status it must have
//   to: status it gets
//   at: now
// Columns:
//   status: the status it had until now
CYPHER 25
MATCH (run:UpdateRun {runId: $runId})
WHERE run.space = $space
SET run.status = run.status
WITH run, run.status AS status
FOREACH (each IN CASE WHEN status = $from THEN [run] ELSE [] END | SET each.status = $to, each.updatedAt = $at)
RETURN status
