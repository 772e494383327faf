// Observations that wait for a decision, oldest first.
//
// Access: read
// Parameters:
//   space: name of the space
//   most: how many at most
// Columns:
//   observation: properties of the observation
//   runId: id of the run it comes from
MATCH (observation:Observation {space: $space, pending: true})<-[:OBSERVED]-(run:UpdateRun)
RETURN properties(observation) AS observation, run.runId AS runId
ORDER BY observation.at, observation.observationId
LIMIT $most
