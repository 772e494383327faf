// Store how a run stands now. Only its owner may, or nobody's run: the lease keeps two processes from working on one.
//
// Access: write
// Parameters:
//   runId: id of the run
//   space: name of the space
//   run: all properties of the run
//   owner: token of this process
//   from: statuses it may have had until now
//   seconds: how long the lease lasts from now on; 0 ends it
// Columns:
//   saved: whether it was stored
CYPHER 25
OPTIONAL MATCH (run:UpdateRun {runId: $runId})
WHERE run.space = $space
SET run.asked = $owner
REMOVE run.asked
WITH run, run.status IN $from AND (run.owner IS NULL OR run.owner = $owner OR run.leaseUntil < datetime()) AS mine
FOREACH (each IN CASE WHEN mine THEN [run] ELSE [] END |
  SET each += $run,
    each.owner = CASE WHEN $seconds > 0 THEN $owner END,
    each.leaseUntil = CASE WHEN $seconds > 0 THEN datetime() + duration({seconds: $seconds}) END)
RETURN coalesce(mine, false) AS saved
