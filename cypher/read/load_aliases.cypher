// The names of entities beside their subjects, up to a bound for each entity; deprecated ones last.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of entities
//   most: names of one entity at most
// Columns:
//   uuid: id of the entity
//   text: the name as it is written
//   deprecated: whether it no longer counts as a direct hit
CYPHER 25
UNWIND $uuids AS uuid
MATCH (entity:Entity {uuid: uuid})
WHERE entity.space = $space
CALL (entity) {
  MATCH (entity)-[known:KNOWN_AS {kind: 'ALIAS'}]->(:Alias)
  WITH known.text AS text, coalesce(known.deprecated, false) AS deprecated ORDER BY deprecated, text
  LIMIT $most
  RETURN text, deprecated
}
RETURN uuid, text, deprecated
