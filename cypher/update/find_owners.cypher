// Who bears the observed names, deprecated or not, and who bears a name that is written nearly so: the identity index,
// for all names of a run at once.
//
// Access: read
// Parameters:
//   space: name of the space
//   asked: what to look for, in one map, see `write_changes`
//     keys: identity keys
//     looseKeys: loose keys
//     runtimeIds: active entities the observations came from
// Columns:
//   owners: {key, uuid, subject}
//   variants: {key: the loose key, uuid, subject}
//   bindings: {runtimeId, uuid}
CYPHER 25
CALL () {
  UNWIND $asked.keys AS key
  MATCH (:Alias {space: $space, key: key})<-[:KNOWN_AS]-(owner:Entity)
  RETURN collect(DISTINCT {key: key, uuid: owner.uuid, subject: owner.subject}) AS owners
}
CALL (owners) {
  UNWIND $asked.looseKeys AS key
  MATCH (:Alias {space: $space, looseKey: key})<-[:KNOWN_AS]-(owner:Entity)
  RETURN collect(DISTINCT {key: key, uuid: owner.uuid, subject: owner.subject}) AS variants
}
CALL (variants) {
  UNWIND $asked.runtimeIds AS runtimeId
  MATCH (active:ActiveEntity {runtimeId: runtimeId})-[:BOUND_TO]->(entity:Entity)
  WHERE active.space = $space
  RETURN collect({runtimeId: runtimeId, uuid: entity.uuid}) AS bindings
}
RETURN owners, variants, bindings
