// What a run observed.
//
// Access: read
// Parameters:
//   runIds: ids of runs
//   space: name of the space
// Columns:
//   runId: the run
//   observation: properties of an observation
UNWIND $runIds AS runId
MATCH (run:UpdateRun {runId: runId})-[:OBSERVED]->(observation:Observation)
WHERE run.space = $space AND observation.payload <> ''
RETURN runId, properties(observation) AS observation
ORDER BY observation.at, observation.observationId
