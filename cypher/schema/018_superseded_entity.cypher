// Finds what was replaced of an entity, when it is to be forgotten.
//
// Access: schema
CREATE INDEX superseded_entity IF NOT EXISTS
FOR (statement:Superseded) ON (statement.entity)
