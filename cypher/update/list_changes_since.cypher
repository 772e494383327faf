// Entities that runs have changed since a moment, in order: what subscribers are told. One that is gone by now, because
// the run that made it was taken back, is told too.
//
// Access: read
// Parameters:
//   space: name of the space
//   since: only runs from this moment on
//   after: {at, runId, uuid}: only changes after this one, in order; null for all
//   most: how many changes at most
// Columns:
//   uuid: id of the entity
//   runId: id of the run
//   status: how the run stands: APPLIED or UNDONE
//   kind: kind of the step
//   at: when the run was written
CYPHER 25
MATCH (run:UpdateRun)
WHERE run.space = $space AND run.updatedAt >= $since AND run.status IN ['APPLIED', 'UNDONE']
MATCH (run)-[:HAS_STEP]->(step:UpdateStep)
UNWIND step.entities AS uuid
WITH run, uuid, min(step.kind) AS kind
WHERE $after IS NULL OR run.updatedAt > $after.at
  OR run.updatedAt = $after.at AND (run.runId > $after.runId OR run.runId = $after.runId AND uuid > $after.uuid)
RETURN uuid, run.runId AS runId, run.status AS status, kind, run.updatedAt AS at
ORDER BY at, runId, uuid
LIMIT $most
