// Observations that wait no longer: a later run, or a person, has decided them.
//
// Access: write
// Parameters:
//   space: name of the space
//   observationIds: ids of the observations
//   decision: what they were decided to
//   reason: by whom or what
// Columns:
//   settled: how many
UNWIND $observationIds AS observationId
MATCH (observation:Observation {observationId: observationId})
WHERE observation.space = $space AND observation.pending
SET observation.pending = false, observation.decision = $decision, observation.reason = $reason
RETURN count(observation) AS settled
