// Runs of a space, latest first, after a given place.
//
// Access: read
// Parameters:
//   space: name of the space
//   beforeAt: moment of the last run of the page before, null for the first page
//   beforeId: its id
//   statuses: statuses to list
//   first: how many
// Columns:
//   run: properties of the run
CYPHER 25
MATCH (run:UpdateRun)
WHERE run.space = $space AND run.createdAt <= coalesce($beforeAt, datetime('9999-12-31T00:00:00Z'))
  AND ($beforeAt IS NULL OR run.createdAt < $beforeAt OR run.runId < $beforeId)
  AND run.status IN $statuses
RETURN properties(run) AS run
ORDER BY run.createdAt DESC, run.runId DESC
LIMIT $first
