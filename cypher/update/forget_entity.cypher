// Forget an entity, for good: its names, statements (replaced ones too), vectors, relations, active entities, the
// evidence that was only its own, and those merged into it. The entity is locked, and the texts about it in runs, steps
// and observations are blanked already.
//
// Access: write
// Parameters:
//   space: name of the space
//   uuid: the entity
//   uuids: the entity, and those that were merged into it
//   observations: ids of the observations that were blanked: what only they cite goes as well
// Columns:
//   statements: statements deleted, replaced ones too
//   relations: relations deleted
//   actives: active entities deleted
//   evidence: evidence deleted
//   shared: {uuid, content, speaker} of evidence that others share with it: it stays
CYPHER 25
MATCH (entity:Entity {uuid: $uuid, space: $space})
CALL (entity) {
  MATCH (entity)<-[:BOUND_TO]-(active:ActiveEntity)
  RETURN collect(active) AS actives
}
CALL (entity) {
  MATCH (entity)-[:HAS_IMPRESSION|HAS_FEATURE]->(statement)
  RETURN collect(statement) AS standing
}
CALL (entity) {
  UNWIND $uuids AS uuid
  MATCH (statement:Superseded {entity: uuid})
  RETURN collect(statement) AS replaced
}
CALL (entity) {
  UNWIND $uuids AS uuid
  MATCH (merged:MergedEntity {uuid: uuid})
  RETURN collect(merged) AS merged
}
WITH entity, actives, merged, standing + replaced AS statements
CALL (entity) {
  MATCH (entity)-[relation:RELATES_TO]-()
  WITH DISTINCT relation
  WITH relation, coalesce(relation.evidence, []) AS evidence
  DELETE relation
  RETURN count(relation) AS relations, collect(evidence) AS cited
}
CALL (relations) {
  UNWIND $observations AS id
  MATCH (observation:Observation {observationId: id})
  RETURN collect(observation) AS observations
}
WITH entity, actives, merged, statements, relations, actives + statements + observations AS holders,
  reduce(all = [], each IN cited | all + each) AS cited
CALL (holders) {
  UNWIND holders AS holder
  MATCH (holder)-[:HAS_EVIDENCE|SUPPORTED_BY|CITES]->(evidence:Evidence)
  RETURN collect(DISTINCT evidence) AS held
}
CALL (cited, held) {
  UNWIND cited AS uuid
  MATCH (evidence:Evidence {uuid: uuid})
  WHERE NOT evidence IN held
  RETURN held + collect(DISTINCT evidence) AS candidates
}
CALL (candidates) {
  // Relations name their evidence by uuid: one look at those of the space.
  WITH [each IN candidates | each.uuid] AS uuids WHERE candidates <> []
  MATCH (source:Entity) WHERE source.space = $space
  CALL (source, uuids) {
    MATCH (source)-[relation:RELATES_TO]->()
    WHERE any(uuid IN relation.evidence WHERE uuid IN uuids)
    UNWIND relation.evidence AS uuid
    RETURN uuid
  }
  RETURN collect(DISTINCT uuid) AS related
}
CALL (candidates, holders, related) {
  UNWIND candidates AS evidence
  WITH evidence, evidence.uuid IN related OR EXISTS {
    MATCH (evidence)<-[:HAS_EVIDENCE|SUPPORTED_BY|CITES]-(other) WHERE NOT other IN holders
  } AS isShared
  RETURN collect(CASE WHEN NOT isShared THEN evidence END) AS own,
    collect(CASE WHEN isShared THEN {
      uuid: evidence.uuid, content: evidence.content, speaker: evidence.speaker
    } END) AS shared
}
CALL (entity, actives) {
  UNWIND [entity] + actives AS bearer
  MATCH (bearer)-[:KNOWN_AS|MENTIONED_AS]->(alias:Alias)
  RETURN collect(DISTINCT alias) AS aliases
}
CALL (entity, aliases) {
  MATCH (entity)-[known:KNOWN_AS]->(:Alias)
  DELETE known
  RETURN count(known) AS names
}
CALL (aliases, names) {
  UNWIND aliases AS alias
  WITH alias WHERE NOT EXISTS { (alias)<-[:KNOWN_AS]-() }
  REMOVE alias.terms
}
CALL (statements) {
  UNWIND statements AS statement
  DETACH DELETE statement
  RETURN count(*) AS gone
}
CALL (actives, gone) {
  UNWIND actives AS active
  DETACH DELETE active
  RETURN count(*) AS goneActives
}
CALL (own, goneActives) {
  UNWIND own AS evidence
  DETACH DELETE evidence
  RETURN count(*) AS goneEvidence
}
CALL (aliases, goneEvidence) {
  UNWIND aliases AS alias
  WITH alias WHERE NOT EXISTS { (alias)<--() }
  DELETE alias
}
CALL (merged, goneEvidence) {
  UNWIND merged AS each
  DETACH DELETE each
}
DETACH DELETE entity
RETURN gone AS statements, relations, goneActives AS actives, goneEvidence AS evidence,
  shared
