// A run was taken back: what stands again is what the run before it had left, so that that one can be taken back next.
//
// Access: write
// Parameters:
//   runId: the run that is taken back
// Columns:
//   followed: how many steps of earlier runs stand by the new revision
MATCH (:UpdateRun {runId: $runId})-[:HAS_STEP]->(:UpdateStep)-[mine:CHANGED]->(entity:Entity)
WITH DISTINCT entity, mine.before AS before
MATCH (entity)<-[earlier:CHANGED]-(:UpdateStep)
WHERE earlier.revision = before
SET earlier.revision = entity.revision
RETURN count(earlier) AS followed
