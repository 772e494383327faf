// The runs that somebody was working on and has let go of, or is gone, longest ago first.
//
// Access: read
// Parameters:
//   onlySpace: only of this one; null for all
//   most: how many at most
// Columns:
//   runId: id of the run
//   space: its space
CYPHER 25
MATCH (run:UpdateRun)
WHERE run.leaseUntil < datetime() AND ($onlySpace IS NULL OR run.space = $onlySpace)
RETURN run.runId AS runId, run.space AS space
ORDER BY run.leaseUntil
LIMIT $most
