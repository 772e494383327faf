// Close an applied run: its steps with what each changed, and what it wrote in all. What only served to get here, the
// rolled texts first of all, is not kept.
//
// Access: write
// Parameters:
//   runId: id of the run
//   run: the properties that change
//   steps: {order, kind, payload, changes, diff, entities: uuids of those it changed}
// Columns:
//   steps: how many were stored
CYPHER 25
MATCH (run:UpdateRun {runId: $runId})
SET run += $run
REMOVE run.owner, run.leaseUntil
WITH run
CALL (run) {
  UNWIND $steps AS each
  CREATE (run)-[:HAS_STEP {order: each.order}]->(step:UpdateStep {
    kind: each.kind, space: run.space, payload: each.payload, changes: each.changes, diff: each.diff,
    entities: each.entities
  })
  WITH step, each
  CALL (step, each) {
    UNWIND each.entities AS uuid
    MATCH (entity:Entity {uuid: uuid})
    CREATE (step)-[:CHANGED {before: entity.revision - 1, revision: entity.revision}]->(entity)
  }
  RETURN count(step) AS steps
}
RETURN steps
