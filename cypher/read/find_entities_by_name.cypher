// Who bears a name; several make the name ambiguous. The oldest first.
//
// Access: read
// Parameters:
//   space: name of the space
//   key: identity key of the name
//   most: entities at most
// Columns:
//   entity: what is shown of it, moments as text
MATCH (:Alias {space: $space, key: $key})<-[known:KNOWN_AS]-(entity:Entity)
WITH DISTINCT entity ORDER BY entity.createdAt, entity.uuid
LIMIT $most
RETURN entity {
  .uuid, .space, .externalId, .subject, .revision, createdAt: toString(entity.createdAt),
  updatedAt: toString(entity.updatedAt), lastMentionedAt: toString(entity.lastMentionedAt)
} AS entity
