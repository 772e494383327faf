// One alias node per name and space: what makes creation of entities safe, together with the write lock on it.
//
// Access: schema
CREATE CONSTRAINT alias_key IF NOT EXISTS
FOR (alias:Alias) REQUIRE (alias.space, alias.key) IS UNIQUE
