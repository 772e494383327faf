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
// Columns:
//   active: the node
//   bound: id of the entity it is bound to
//   mentions: names it was mentioned by
UNWIND $states AS state
MATCH (active:ActiveEntity {space: $space, conversation: $conversation, state: state})
WHERE $withOverdue OR active.lastMentionedAt > $aliveSince
RETURN active,
  head([(active)-[:BOUND_TO]->(entity:Entity) | entity.uuid]) AS bound,
  [(active)-[mention:MENTIONED_AS]->(:Alias) | mention.text] AS mentions
ORDER BY active.lastMentionedAt DESC, active.lastConfidence DESC, active.runtimeId
LIMIT $most
