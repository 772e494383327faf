// Finds the live active entities of a conversation.
//
// Access: schema
CREATE INDEX active_entity_conversation IF NOT EXISTS
FOR (active:ActiveEntity) ON (active.space, active.conversation, active.state)
