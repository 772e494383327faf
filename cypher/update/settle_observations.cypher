// Observations that wait no longer: a run, or a person through one, has decided them. Why they waited is kept: taken
// back, they wait again for the same reason.
//
// Access: write
// Parameters:
//   space: name of the space
//   runId: the run
//   settled: {observationId, decision}
// Columns:
//   settled: how many
MATCH (run:UpdateRun {runId: $runId})
UNWIND $settled AS each
MATCH (observation:Observation {observationId: each.observationId})
WHERE observation.space = $space AND observation.pending
SET observation.pending = false, observation.decision = each.decision
CREATE (run)-[:SETTLED]->(observation)
RETURN count(observation) AS settled
