// Finds an imported entity by the id its source gave it.
//
// Access: schema
CREATE INDEX entity_external_id IF NOT EXISTS
FOR (entity:Entity) ON (entity.space, entity.externalId)
