// Find whom the targets of relations may mean: by id, or by name.
//
// Access: read
// Parameters:
//   space: name of the space
//   targets: [{text, key}], key being the identity key of the text
// Columns:
//   text: the target
//   byExternalId: uuids of the entities with this id from outside
//   byUuid: the entity with this uuid
//   byName: [{uuid, id, kind}] of the entities with this name, kind being 'SUBJECT' or 'ALIAS'
UNWIND $targets AS target
RETURN target.text AS text,
  COLLECT { MATCH (entity:Entity {space: $space, externalId: target.text}) RETURN entity.uuid } AS byExternalId,
  COLLECT { MATCH (entity:Entity {uuid: target.text}) WHERE entity.space = $space RETURN entity.uuid } AS byUuid,
  COLLECT {
    MATCH (:Alias {space: $space, key: target.key})<-[known:KNOWN_AS]-(entity:Entity)
    RETURN {uuid: entity.uuid, id: coalesce(entity.externalId, entity.uuid), kind: known.kind}
  } AS byName
