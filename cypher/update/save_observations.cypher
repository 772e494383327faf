// Store what a run observed and what was decided about each identity; postponed ones are pending from now on.
//
// Access: write
// Parameters:
//   runId: id of the run
//   space: name of the space
//   at: now
//   observations: {observationId, subject, aliases, decision, code, reason, candidates, payload, sources, cites}: cites
//     is the evidence of one that stays pending
// Columns:
//   saved: how many
MATCH (run:UpdateRun {runId: $runId})
UNWIND $observations AS each
CREATE (run)-[:OBSERVED]->(observation:Observation {
  observationId: each.observationId, space: $space, subject: each.subject, aliases: each.aliases,
  decision: each.decision, pending: each.decision = 'POSTPONED', code: each.code, reason: each.reason,
  candidates: each.candidates, payload: each.payload, at: $at
})
WITH observation, each
CALL (observation, each) {
  UNWIND each.sources AS runtimeId
  MATCH (active:ActiveEntity {runtimeId: runtimeId})
  CREATE (observation)-[:FROM]->(active)
}
CALL (observation, each) {
  UNWIND each.cites AS uuid
  MATCH (evidence:Evidence {uuid: uuid, space: $space})
  CREATE (observation)-[:CITES]->(evidence)
}
RETURN count(observation) AS saved
