// Active entities by their runtime ids, for one space.
//
// Access: read
// Parameters:
//   space: name of the space
//   runtimeIds: ids of active entities
//   mostMentions: names of one active entity at most
// Columns:
//   shown: what is shown of it, moments as text; ids unknown in this space have no row
//   bound: id of the entity it is bound to
//   mentions: names it was mentioned by, in the order of the alphabet
CYPHER 25
UNWIND $runtimeIds AS runtimeId
MATCH (active:ActiveEntity {runtimeId: runtimeId})
WHERE active.space = $space
RETURN active {
  .runtimeId, .space, .conversation, .subject, .state, createdAt: toString(active.createdAt),
  lastMentionedAt: toString(active.lastMentionedAt)
} AS shown,
  head([(active)-[:BOUND_TO]->(entity:Entity) | entity.uuid]) AS bound,
  COLLECT {
    MATCH (active)-[mention:MENTIONED_AS]->(:Alias)
    RETURN mention.text AS text ORDER BY text LIMIT $mostMentions
  } AS mentions
