// Entities by their ids, for one space.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of entities
// Columns:
//   entity: what is shown of it, moments as text; ids unknown in this space have no row
UNWIND $uuids AS uuid
MATCH (entity:Entity {uuid: uuid})
WHERE entity.space = $space
RETURN entity {
  .uuid, .space, .externalId, .subject, .revision, createdAt: toString(entity.createdAt),
  updatedAt: toString(entity.updatedAt), lastMentionedAt: toString(entity.lastMentionedAt)
} AS entity
