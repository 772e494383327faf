// Read all relations of entities.
//
// Access: read
// Parameters:
//   uuids: ids of the entities
// Columns:
//   source: id of the entity
//   target: id of the entity it relates to
//   key: identity key of the relation's name
//   uuid: id of the relation
//   strength: in [0, 1]
UNWIND $uuids AS uuid
MATCH (source:Entity {uuid: uuid})-[relation:RELATES_TO]->(target:Entity)
RETURN uuid AS source, target.uuid AS target, relation.key AS key, relation.uuid AS uuid, relation.strength AS strength
