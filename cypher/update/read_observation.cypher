// One observation.
//
// Access: read
// Parameters:
//   space: name of the space
//   observationId: id of the observation
// Columns:
//   observation: its properties
//   runId: id of the run it comes from
//   conversation: of that run
MATCH (observation:Observation {observationId: $observationId})<-[:OBSERVED]-(run:UpdateRun)
WHERE observation.space = $space
RETURN properties(observation) AS observation, run.runId AS runId, run.conversation AS conversation
