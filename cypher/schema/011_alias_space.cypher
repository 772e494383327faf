// Lists and counts what a space holds: the composite indexes do not serve the space alone.
//
// Access: schema
CREATE INDEX alias_space IF NOT EXISTS
FOR (node:Alias) ON (node.space)
