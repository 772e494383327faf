// Entities that runs have changed since a moment, in order: what subscribers are told.
//
// Access: read
// Parameters:
//   space: name of the space
//   since: only runs after this moment
//   most: how many changes at most
// Columns:
//   uuid: id of the entity
//   runId: id of the run
//   status: how the run stands: APPLIED or UNDONE
//   kind: kind of the step
//   at: when the run was written
MATCH (run:UpdateRun)
WHERE run.space = $space AND run.updatedAt > $since AND run.status IN ['APPLIED', 'UNDONE']
MATCH (run)-[:HAS_STEP]->(step:UpdateStep)-[:CHANGED]->(entity:Entity)
RETURN DISTINCT entity.uuid AS uuid, run.runId AS runId, run.status AS status, step.kind AS kind, run.updatedAt AS at
ORDER BY at, runId, uuid
LIMIT $most
