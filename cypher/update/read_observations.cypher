// What a run observed.
//
// Access: read
// Parameters:
//   runIds: ids of runs
//   space: name of the space
// Columns:
//   runId: the run
//   observation: properties of an observation
//   settledBy: id of the later run that has decided it; null while it waits, and where its own run did
UNWIND $runIds AS runId
MATCH (run:UpdateRun {runId: runId})-[:OBSERVED]->(observation:Observation)
WHERE run.space = $space AND observation.payload <> ''
OPTIONAL MATCH (observation)<-[:SETTLED]-(settling:UpdateRun)
RETURN runId, properties(observation) AS observation, settling.runId AS settledBy
ORDER BY observation.at, observation.observationId
