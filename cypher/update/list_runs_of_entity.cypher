// The runs that changed entities, latest first, up to a bound for each.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of entities
//   most: runs of one entity at most
// Columns:
//   uuid: id of the entity
//   run: properties of a run
CYPHER 25
UNWIND $uuids AS uuid
MATCH (entity:Entity {uuid: uuid})
WHERE entity.space = $space
CALL (entity) {
  MATCH (entity)<-[:CHANGED]-(:UpdateStep)<-[:HAS_STEP]-(run:UpdateRun)
  WITH DISTINCT run ORDER BY run.updatedAt DESC, run.runId
  LIMIT $most
  RETURN run
}
RETURN uuid, properties(run) AS run
