// What a run observed.
//
// Access: read
// Parameters:
//   runId: id of the run
//   space: name of the space
// Columns:
//   observation: properties of an observation
MATCH (run:UpdateRun {runId: $runId})-[:OBSERVED]->(observation:Observation)
WHERE run.space = $space AND observation.payload <> ''
RETURN properties(observation) AS observation
ORDER BY observation.at, observation.observationId
