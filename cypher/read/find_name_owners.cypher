// Whom each of some names may stand for: the entities that own it, deprecated or not, and those that own a possible
// variant of it.
//
// Access: read
// Parameters:
//   space: name of the space
//   names: [{key, looseKey}] of the names
// Columns:
//   key: identity key of the asked name
//   uuid: an entity that owns it, or a variant of it
//   loose: false where the entity owns the very key, true where it only owns a name of the same loose key
UNWIND $names AS name
MATCH (:Alias {space: $space, key: name.key})<-[:KNOWN_AS]-(owner:Entity)
RETURN name.key AS key, owner.uuid AS uuid, false AS loose
UNION
UNWIND $names AS name
MATCH (variant:Alias {space: $space, looseKey: name.looseKey})<-[:KNOWN_AS]-(owner:Entity)
WHERE variant.key <> name.key
RETURN name.key AS key, owner.uuid AS uuid, true AS loose
