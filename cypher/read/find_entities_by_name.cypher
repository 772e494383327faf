// Who bears a name; several make the name ambiguous. The oldest first.
//
// Access: read
// Parameters:
//   space: name of the space
//   key: identity key of the name
//   most: entities at most
// Columns:
//   entity: the node
MATCH (:Alias {space: $space, key: $key})<-[known:KNOWN_AS]-(entity:Entity)
RETURN DISTINCT entity
ORDER BY entity.createdAt, entity.uuid
LIMIT $most
