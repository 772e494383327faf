// Every entity of a space with its revision, in one look.
//
// Access: read
// Parameters:
//   space: name of the space
// Columns:
//   uuid: id of the entity
//   revision: grows with every write to what is known about it
MATCH (entity:Entity)
WHERE entity.space = $space
RETURN entity.uuid AS uuid, entity.revision AS revision
