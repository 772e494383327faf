// Lists the entities of a space in the order of their subjects; the uuid makes the order total.
//
// Access: schema
CREATE INDEX entity_subject IF NOT EXISTS
FOR (entity:Entity) ON (entity.space, entity.subject, entity.uuid)
