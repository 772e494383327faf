// Lock active entities, in order, and say how they stand: whether they still live, and what they are bound to by now.
//
// Access: write
// Parameters:
//   space: name of the space
//   runtimeIds: the active entities, sorted
// Columns:
//   runtimeId: one that is still there
//   liveKey: under which it lives; null once it expired
//   bound: uuid of its entity
UNWIND $runtimeIds AS runtimeId
MATCH (active:ActiveEntity {runtimeId: runtimeId})
WHERE active.space = $space
SET active.state = active.state
WITH active
OPTIONAL MATCH (active)-[:BOUND_TO]->(entity:Entity)
RETURN active.runtimeId AS runtimeId, active.liveKey AS liveKey, entity.uuid AS bound
