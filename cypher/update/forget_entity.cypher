// Forget an entity, for good: its names, statements (replaced ones too), vectors, relations, active entities, the
// evidence that was only its own, and the texts about it in runs and observations. Ids and counts stay for the audit.
// The entity is locked already.
//
// Access: write
// Parameters:
//   space: name of the space
//   uuid: the entity
//   traces: texts that betray it in stored JSON: its id, its names, as JSON writes them, lower case
// Columns:
//   statements: statements deleted, replaced ones too
//   relations: relations deleted
//   actives: active entities deleted
//   evidence: evidence deleted
//   runs: runs whose texts were blanked
//   observations: observations whose texts were blanked
//   shared: {uuid, content} of evidence that others share with it: it stays
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
  MATCH (statement:Superseded {entity: entity.uuid})
  RETURN collect(statement) AS replaced
}
WITH entity, actives, standing + replaced AS statements
CALL (actives, statements) {
  UNWIND actives + statements AS holder
  MATCH (holder)-[:HAS_EVIDENCE|SUPPORTED_BY]->(evidence:Evidence)
  WITH DISTINCT evidence, actives, statements
  WITH evidence, EXISTS {
    MATCH (evidence)<-[:HAS_EVIDENCE|SUPPORTED_BY]-(other) WHERE NOT other IN actives AND NOT other IN statements
  } AS isShared
  RETURN collect(CASE WHEN NOT isShared THEN evidence END) AS own,
    collect(CASE WHEN isShared THEN {uuid: evidence.uuid, content: evidence.content} END) AS shared
}
CALL (entity) {
  MATCH (entity)-[relation:RELATES_TO]-()
  DELETE relation
  RETURN count(relation) AS relations
}
CALL (entity) {
  MATCH (entity)-[known:KNOWN_AS]->(alias:Alias)
  DELETE known
  WITH alias
  CALL (alias) {
    WITH alias WHERE NOT EXISTS { (alias)<-[:KNOWN_AS]-() }
    REMOVE alias.terms
  }
  RETURN collect(alias) AS aliases
}
CALL (entity) {
  MATCH (step:UpdateStep)-[:CHANGED]->(entity)
  SET step.payload = '{}', step.changes = '[]'
  REMOVE step.diff
  WITH step
  MATCH (run:UpdateRun)-[:HAS_STEP]->(step)
  RETURN collect(DISTINCT run) AS changers
}
CALL (changers) {
  MATCH (run:UpdateRun)
  WHERE run.space = $space AND (run IN changers OR any(trace IN $traces WHERE
    toLower(coalesce(run.plan, '')) CONTAINS trace OR toLower(coalesce(run.resolutions, '')) CONTAINS trace
    OR toLower(coalesce(run.batches, '')) CONTAINS trace OR toLower(coalesce(run.rolling, '')) CONTAINS trace
    OR toLower(coalesce(run.dropped, '')) CONTAINS trace OR toLower(coalesce(run.violations, '')) CONTAINS trace
    OR toLower(coalesce(run.reason, '')) CONTAINS trace))
  SET run.plan = 'null', run.resolutions = '[]', run.batches = '[]', run.rolling = 'null', run.dropped = '[]',
    run.violations = '[]', run.reason = null, run.notes = coalesce(run.notes, []) + ['texts were forgotten'],
    run.status = CASE
      WHEN run.status IN ['OBSERVING', 'PARTIAL', 'PREPARED', 'CONFIRMED'] THEN 'REJECTED' ELSE run.status END,
    run.key = CASE WHEN run.status IN ['OBSERVING', 'PARTIAL', 'PREPARED', 'CONFIRMED'] THEN null ELSE run.key END
  RETURN count(run) AS runs
}
CALL (runs) {
  MATCH (observation:Observation)
  WHERE observation.space = $space AND any(trace IN $traces WHERE toLower(observation.payload) CONTAINS trace)
  SET observation.subject = '', observation.aliases = [], observation.payload = '', observation.reason = '',
    observation.candidates = [], observation.pending = false, observation.decision = 'FORGOTTEN'
  RETURN count(observation) AS observations
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
DETACH DELETE entity
RETURN gone AS statements, relations, goneActives AS actives, goneEvidence AS evidence, runs, observations, shared
