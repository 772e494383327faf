// One observation; not one whose texts were forgotten.
//
// Access: read
// Parameters:
//   space: name of the space
//   observationId: id of the observation
// Columns:
//   observation: its properties
//   runId: id of the run it comes from
//   conversation: of that run
//   settledBy: id of the run that has decided it; null while it waits, and where its own run did
MATCH (observation:Observation {observationId: $observationId})<-[:OBSERVED]-(run:UpdateRun)
WHERE observation.space = $space AND observation.payload <> ''
OPTIONAL MATCH (observation)<-[:SETTLED]-(settling:UpdateRun)
RETURN properties(observation) AS observation, run.runId AS runId, run.conversation AS conversation,
  settling.runId AS settledBy
