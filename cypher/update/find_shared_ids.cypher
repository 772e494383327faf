// Find ids from outside that more than one entity has: two writers met that gave one to entities of different names.
//
// Access: read
// Parameters:
//   space: name of the space
//   ids: the ids this transaction has given
// Columns:
//   id: an id that is not unique
UNWIND $ids AS id
MATCH (entity:Entity {space: $space, externalId: id})
WITH id, count(entity) AS bearers WHERE bearers > 1
RETURN id
