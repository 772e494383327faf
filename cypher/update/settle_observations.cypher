// Observations that wait no longer: a run, or a person through one, has decided them.
//
// Access: write
// Parameters:
//   space: name of the space
//   runId: the run
//   settled: {observationId, decision}
//   reason: by whom or what
// Columns:
//   settled: how many
MATCH (run:UpdateRun {runId: $runId})
UNWIND $settled AS each
MATCH (observation:Observation {observationId: each.observationId})
WHERE observation.space = $space AND observation.pending
SET observation.pending = false, observation.decision = each.decision, observation.reason = $reason
CREATE (run)-[:SETTLED]->(observation)
RETURN count(observation) AS settled
