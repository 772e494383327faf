// The active entities of a conversation, latest first.
//
// Access: read
// Parameters:
//   space: name of the space
//   conversation: name of the conversation
//   states: ACTIVE, or ACTIVE and EXPIRED
//   aliveSince: those mentioned before are expired, whether or not that is written down
//   withOverdue: whether to list them all the same
//   most: how many at most
//   mostMentions: names of one active entity at most
// Columns:
//   shown: what is shown of it, moments as text
//   bound: id of the entity it is bound to
//   mentions: names it was mentioned by, in the order of the alphabet
CYPHER 25
UNWIND $states AS state
MATCH (active:ActiveEntity {space: $space, conversation: $conversation, state: state})
WHERE $withOverdue OR active.lastMentionedAt > $aliveSince
WITH active ORDER BY active.lastMentionedAt DESC, active.lastConfidence DESC, active.runtimeId
LIMIT $most
RETURN active {
  .runtimeId, .space, .conversation, .subject, .state, createdAt: toString(active.createdAt),
  lastMentionedAt: toString(active.lastMentionedAt)
} AS shown,
  head([(active)-[:BOUND_TO]->(entity:Entity) | entity.uuid]) AS bound,
  COLLECT {
    MATCH (active)-[mention:MENTIONED_AS]->(:Alias)
    RETURN mention.text AS text ORDER BY text LIMIT $mostMentions
  } AS mentions
ORDER BY active.lastMentionedAt DESC, active.lastConfidence DESC, active.runtimeId
