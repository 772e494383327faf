// The names of entities beside their subjects; deprecated ones last.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of entities
// Columns:
//   uuid: id of the entity
//   text: the name as it is written
//   deprecated: whether it no longer counts as a direct hit
UNWIND $uuids AS uuid
MATCH (entity:Entity {uuid: uuid})-[known:KNOWN_AS]->(:Alias)
WHERE entity.space = $space AND known.kind = 'ALIAS'
RETURN uuid, known.text AS text, coalesce(known.deprecated, false) AS deprecated
ORDER BY uuid, deprecated, text
