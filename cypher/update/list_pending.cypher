// Observations that wait for a decision, latest first.
//
// Access: read
// Parameters:
//   space: name of the space
//   last: codes of those that come after all others
//   skip: how many to leave out at the beginning
//   most: how many at most
// Columns:
//   observation: properties of the observation
//   runId: id of the run it comes from
MATCH (observation:Observation {space: $space, pending: true})<-[:OBSERVED]-(run:UpdateRun)
WITH observation, run.runId AS runId
ORDER BY observation.code IN $last, observation.at DESC, observation.observationId
SKIP $skip
LIMIT $most
RETURN properties(observation) AS observation, runId
