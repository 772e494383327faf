// Find the entities that their subject does not tell from others: it is the subject of several, or somebody's id.
//
// Access: read
// Parameters:
//   space: name of the space
// Columns:
//   id: the id its source gave the entity, else its uuid
MATCH (alias:Alias {space: $space})<-[known:KNOWN_AS {kind: 'SUBJECT'}]-(:Entity)
WITH alias, count(known) AS bearers WHERE bearers > 1
MATCH (alias)<-[:KNOWN_AS {kind: 'SUBJECT'}]-(entity:Entity)
RETURN coalesce(entity.externalId, entity.uuid) AS id
UNION
MATCH (other:Entity {space: $space})
MATCH (entity:Entity {space: $space, subject: coalesce(other.externalId, other.uuid)})
RETURN coalesce(entity.externalId, entity.uuid) AS id
