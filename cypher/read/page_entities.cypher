// One page of a space's entities in the order of their subjects, after a given place. The hint keeps
// the pages in the order of the index: left alone, the planner sorts the whole space for each.
//
// Access: read
// Parameters:
//   space: name of the space
//   afterSubject: subject of the last entity of the page before, empty for the first page
//   afterUuid: its id, empty for the first page
//   nameContains: part of a name as an identity key, empty for all
//   first: how many
// Columns:
//   entity: what is shown of it, moments as text
MATCH (entity:Entity)
USING INDEX entity:Entity(space, subject, uuid)
WHERE entity.space = $space AND entity.subject >= $afterSubject AND entity.uuid IS NOT NULL
  AND (entity.subject > $afterSubject OR entity.uuid > $afterUuid)
  AND ($nameContains = '' OR EXISTS {
    MATCH (entity)-[:KNOWN_AS]->(alias:Alias) WHERE alias.key CONTAINS $nameContains
  })
WITH entity ORDER BY entity.space, entity.subject, entity.uuid
LIMIT $first
RETURN entity {
  .uuid, .space, .externalId, .subject, .revision, createdAt: toString(entity.createdAt),
  updatedAt: toString(entity.updatedAt), lastMentionedAt: toString(entity.lastMentionedAt)
} AS entity
