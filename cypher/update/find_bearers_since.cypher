// Who has got one of these names since a moment: they would become ambiguous if it came back to its former bearer.
//
// Access: read
// Parameters:
//   space: name of the space
//   keys: identity keys
//   since: the moment
// Columns:
//   key: the identity key
//   uuid: of the entity that has got the name
//   subject: how it is called
UNWIND $keys AS key
MATCH (:Alias {space: $space, key: key})<-[known:KNOWN_AS]-(entity:Entity)
WHERE known.since > $since
RETURN key, entity.uuid AS uuid, entity.subject AS subject
