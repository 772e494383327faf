// Everything that stands around a plan: the entities it touches or points to, whole, and who owns the names it gives.
// Entities are locked first, in order, by a write that changes nothing, when the plan is about to be applied.
//
// Access: write
// Parameters:
//   space: name of the space
//   around: what to look at, in one map, see `write_changes`
//     uuids: entities the plan touches or points to
//     merged: entities it merges: those around them are read too
//     keys: identity keys of the names it gives
//     statementUuids: statements it removes
//     relationUuids: relations it removes: their targets are read too
//     externalIds: ids from outside that it gives
//     evidence: evidence it rests on
//   lock: whether to lock the entities
// Columns:
//   entities: {uuid, subject, externalId, revision, createdAt, updatedAt, names, statements, relations, bound}
//   owners: {key, uuid, subject}
//   statements: {uuid, entity}
//   relations: {uuid, source}
//   externalIds: {id, uuid} of entities that have one of the ids
//   evidence: uuids of the evidence that stands
CYPHER 25
CALL () {
  UNWIND $around.uuids AS uuid
  RETURN uuid
  UNION
  UNWIND $around.merged AS merged
  MATCH (:Entity {uuid: merged})-[:RELATES_TO]-(neighbour:Entity)
  RETURN neighbour.uuid AS uuid
  UNION
  UNWIND $around.relationUuids AS removed
  MATCH (:Entity)-[relation:RELATES_TO {uuid: removed}]->(target:Entity)
  WHERE relation.space = $space
  RETURN target.uuid AS uuid
}
WITH uuid ORDER BY uuid
WITH collect(uuid) AS uuids
CALL (uuids) {
  UNWIND [uuid IN uuids WHERE $lock] AS uuid
  MATCH (entity:Entity {uuid: uuid})
  SET entity.revision = entity.revision
  RETURN count(entity) AS locked
}
CALL (uuids, locked) {
  UNWIND uuids AS uuid
  MATCH (entity:Entity {uuid: uuid})
  WHERE entity.space = $space
  RETURN collect({
    uuid: entity.uuid, subject: entity.subject, externalId: entity.externalId, revision: entity.revision,
    createdAt: entity.createdAt, updatedAt: entity.updatedAt,
    names: COLLECT {
      MATCH (entity)-[known:KNOWN_AS]->(alias:Alias)
      RETURN {
        key: alias.key, text: known.text, kind: known.kind, deprecated: coalesce(known.deprecated, false),
        since: known.since
      }
    },
    statements: COLLECT {
      MATCH (entity)-[edge:HAS_IMPRESSION|HAS_FEATURE]->(node)
      RETURN {
        uuid: node.uuid, kind: CASE type(edge) WHEN 'HAS_IMPRESSION' THEN 'Impression' ELSE 'Feature' END,
        key: node.key, text: node.text, confidence: node.confidence, support: node.support,
        created_at: node.createdAt, updated_at: node.updatedAt,
        evidence: COLLECT { MATCH (node)-[:SUPPORTED_BY]->(evidence:Evidence) RETURN evidence.uuid }
      }
    },
    relations: COLLECT {
      MATCH (entity)-[relation:RELATES_TO]-(:Entity)
      RETURN DISTINCT {
        uuid: relation.uuid, source: startNode(relation).uuid, target: endNode(relation).uuid,
        relation: relation.relation, key: relation.key, strength: relation.strength, support: relation.support,
        evidence: coalesce(relation.evidence, []), created_at: relation.createdAt, updated_at: relation.updatedAt,
        target_subject: endNode(relation).subject
      }
    },
    bound: COLLECT {
      MATCH (entity)<-[:BOUND_TO]-(active:ActiveEntity)
      RETURN {runtime_id: active.runtimeId, conversation: active.conversation, live_key: active.liveKey}
    }
  }) AS entities
}
CALL (entities) {
  UNWIND $around.keys AS key
  MATCH (:Alias {space: $space, key: key})<-[:KNOWN_AS]-(owner:Entity)
  RETURN collect({key: key, uuid: owner.uuid, subject: owner.subject}) AS owners
}
CALL (owners) {
  UNWIND $around.statementUuids AS uuid
  MATCH (node:Impression|Feature {uuid: uuid})<-[:HAS_IMPRESSION|HAS_FEATURE]-(entity:Entity)
  WHERE entity.space = $space
  RETURN collect({uuid: uuid, entity: entity.uuid}) AS statements
}
CALL (statements) {
  UNWIND $around.relationUuids AS uuid
  MATCH (source:Entity)-[relation:RELATES_TO {uuid: uuid}]->(:Entity)
  WHERE relation.space = $space
  RETURN collect({uuid: uuid, source: source.uuid}) AS relations
}
CALL (relations) {
  UNWIND $around.externalIds AS id
  MATCH (entity:Entity {space: $space, externalId: id})
  RETURN collect({id: id, uuid: entity.uuid}) AS externalIds
}
CALL (externalIds) {
  UNWIND $around.evidence AS uuid
  MATCH (said:Evidence {uuid: uuid, space: $space})
  RETURN collect(uuid) AS evidence
}
RETURN entities, owners, statements, relations, externalIds, evidence
