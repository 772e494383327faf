// Lock entities until the transaction ends, by a write that changes nothing.
//
// Access: write
// Parameters:
//   uuids: ids of the entities, in order, so that writers cannot block each other crosswise
UNWIND $uuids AS uuid
MATCH (entity:Entity {uuid: uuid})
SET entity.revision = entity.revision
