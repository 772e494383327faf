// The revisions of the entities a run has changed, as they were right after it.
//
// Access: read
// Parameters:
//   runId: id of the run
//   space: name of the space
// Columns:
//   uuid: id of an entity the run left behind
//   subject: what it was called
//   revision: its revision right after the run
//   gone: whether the run itself removed it
MATCH (run:UpdateRun {runId: $runId})-[:HAS_STEP]->(step:UpdateStep)-[changed:CHANGED]->(entity:Entity)
WHERE run.space = $space
RETURN DISTINCT entity.uuid AS uuid, entity.subject AS subject, changed.revision AS revision, false AS gone
