// Finds possible variants of a name.
//
// Access: schema
CREATE INDEX alias_loose_key IF NOT EXISTS
FOR (alias:Alias) ON (alias.space, alias.looseKey)
