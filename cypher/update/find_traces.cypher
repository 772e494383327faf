// The records of a space in which somebody may be told of: those whose stored JSON contains one of some parts, and the
// steps that changed one of some entities. Whether it is a text of people's that contains it, the caller looks.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: entities
//   parts: ids, and names as JSON writes them, lower case
// Columns:
//   kind: RUN, STEP or OBSERVATION
//   id: of the run or the observation; of a step, its run's
//   place: of a step in its run
//   changed: whether it is a step that changed one of the entities
//   texts: its JSON
//   reason: of a run, as it stands
CYPHER 25
CALL () {
  MATCH (run:UpdateRun)
  WHERE run.space = $space
  RETURN 'RUN' AS kind, run.runId AS id, null AS place, false AS changed, run.reason AS reason,
    [run.plan, run.resolutions, run.batches, run.rolling, run.dropped, run.violations] AS stored
  UNION ALL
  MATCH (step:UpdateStep)
  WHERE step.space = $space
  MATCH (run:UpdateRun)-[has:HAS_STEP]->(step)
  RETURN 'STEP' AS kind, run.runId AS id, has.order AS place,
    EXISTS { MATCH (step)-[:CHANGED]->(changed) WHERE changed.uuid IN $uuids } AS changed, null AS reason,
    [step.payload, step.changes, step.diff] AS stored
  UNION ALL
  MATCH (observation:Observation)
  WHERE observation.space = $space
  RETURN 'OBSERVATION' AS kind, observation.observationId AS id, null AS place, false AS changed, null AS reason,
    [observation.payload] AS stored
}
WITH kind, id, place, changed, reason, [text IN stored WHERE text <> '' | text] AS texts
WHERE changed OR any(text IN texts + coalesce(reason, '') WHERE any(part IN $parts WHERE toLower(text) CONTAINS part))
RETURN kind, id, place, changed, texts, reason
