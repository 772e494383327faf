// Entities by their ids, for one space.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of entities
// Columns:
//   entity: the node; ids unknown in this space have no row
UNWIND $uuids AS uuid
MATCH (entity:Entity {uuid: uuid})
WHERE entity.space = $space
RETURN entity
