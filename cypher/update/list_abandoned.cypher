// The runs that somebody was working on and has let go of, or is gone, longest ago first.
//
// Access: read
// Parameters:
//   space: only of this one; null for all
//   most: how many at most
// Columns:
//   runId: id of the run
//   space: its space
CYPHER 25
MATCH (run:UpdateRun)
WHERE run.leaseUntil < datetime() AND ($space IS NULL OR run.space = $space)
RETURN run.runId AS runId, run.space AS space
ORDER BY run.leaseUntil
LIMIT $most
