// Lists and counts what a space holds: the composite indexes do not serve the space alone.
//
// Access: schema
CREATE INDEX evidence_space IF NOT EXISTS
FOR (node:Evidence) ON (node.space)
