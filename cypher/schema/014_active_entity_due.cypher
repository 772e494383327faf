// Finds active entities whose time-to-live has run out, whatever their space.
//
// Access: schema
CREATE INDEX active_entity_due IF NOT EXISTS
FOR (active:ActiveEntity) ON (active.state, active.lastMentionedAt)
