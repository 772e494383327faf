// The live active entities of any conversation that go by one of these names and are bound to nobody, with all the
// names each was mentioned by and whose names these are.
//
// Access: read
// Parameters:
//   space: name of the space
//   keys: identity keys of the names
// Columns:
//   runtimeId: id of the active entity
//   conversation: where it lives
//   owners: {key, uuids}: for each name it was mentioned by, the entities that bear it
CYPHER 25
UNWIND $keys AS key
MATCH (:Alias {space: $space, key: key})<-[:MENTIONED_AS]-(active:ActiveEntity)
WHERE active.liveKey IS NOT NULL AND NOT EXISTS { (active)-[:BOUND_TO]->(:Entity) }
WITH DISTINCT active
RETURN active.runtimeId AS runtimeId, active.conversation AS conversation,
  COLLECT {
    MATCH (active)-[:MENTIONED_AS]->(name:Alias)
    RETURN {key: name.key, uuids: [(name)<-[:KNOWN_AS]-(owner:Entity) | owner.uuid]}
  } AS owners
ORDER BY runtimeId
