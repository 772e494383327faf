// Blank the texts of runs, steps and observations that tell of somebody who is to be forgotten. Ids and counts stay for
// the audit. Open runs are rejected.
//
// Access: write
// Parameters:
//   space: name of the space
//   runs: ids of runs, those of the steps too
//   steps: {id, place}: id of the run, and which of its steps
//   observations: ids of observations
// Columns:
//   blanked: how many there were
CYPHER 25
CALL () {
  UNWIND $observations AS id
  MATCH (observation:Observation {observationId: id})
  WHERE observation.space = $space
  SET observation.subject = '', observation.aliases = [], observation.payload = '', observation.reason = '',
    observation.candidates = [], observation.pending = false, observation.decision = 'FORGOTTEN'
  RETURN count(observation) AS observations
}
CALL () {
  UNWIND $steps AS each
  MATCH (run:UpdateRun {runId: each.id})-[:HAS_STEP {order: each.place}]->(step:UpdateStep)
  WHERE run.space = $space
  SET step.payload = '{}', step.changes = '[]'
  REMOVE step.diff
  RETURN count(step) AS steps
}
CALL () {
  UNWIND $runs AS id
  MATCH (run:UpdateRun {runId: id})
  WHERE run.space = $space
  SET run.plan = 'null', run.resolutions = '[]', run.batches = '[]', run.rolling = 'null', run.dropped = '[]',
    run.violations = '[]', run.reason = null, run.notes = coalesce(run.notes, []) + ['texts were forgotten']
  FOREACH (open IN CASE WHEN run.status IN ['OBSERVING', 'PARTIAL', 'PREPARED', 'CONFIRMED'] THEN [run] ELSE [] END |
    SET open.status = 'REJECTED', open.key = null)
  RETURN count(run) AS runs
}
RETURN observations + steps + runs AS blanked
