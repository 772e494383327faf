// Let entities be known by names that are locked already. A name is searched for from its first bearer on: those that
// conversations merely mention have no terms.
//
// Access: write
// Parameters:
//   space: name of the space
//   at: now
//   names: [{uuid: of the entity, key, text, terms, kind: 'SUBJECT' or 'ALIAS', deprecated}]
UNWIND $names AS name
MATCH (entity:Entity {uuid: name.uuid})
WITH entity, name
MATCH (alias:Alias {space: $space, key: name.key})
SET alias.terms = name.terms
CREATE (entity)-[:KNOWN_AS {text: name.text, kind: name.kind, deprecated: name.deprecated, since: $at}]->(alias)
