// Note that what is known about entities has changed.
//
// Access: write
// Parameters:
//   at: now
//   entities: [{uuid, externalId}], an externalId where the entity gets one
UNWIND $entities AS changed
MATCH (entity:Entity {uuid: changed.uuid})
SET entity.revision = entity.revision + 1, entity.updatedAt = $at,
    entity.externalId = coalesce(changed.externalId, entity.externalId)
