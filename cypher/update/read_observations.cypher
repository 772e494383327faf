// What runs observed, up to a bound for each.
//
// Access: read
// Parameters:
//   runIds: ids of runs
//   space: name of the space
//   most: observations of one run at most
// Columns:
//   runId: the run
//   observation: properties of an observation
//   settledBy: id of the later run that has decided it; null while it waits, and where its own run did
CYPHER 25
UNWIND $runIds AS runId
MATCH (run:UpdateRun {runId: runId})
WHERE run.space = $space
CALL (run) {
  MATCH (run)-[:OBSERVED]->(observation:Observation)
  WHERE observation.payload <> ''
  WITH observation ORDER BY observation.at, observation.observationId
  LIMIT $most
  RETURN observation
}
OPTIONAL MATCH (observation)<-[:SETTLED]-(settling:UpdateRun)
RETURN runId, properties(observation) AS observation, settling.runId AS settledBy
ORDER BY observation.at, observation.observationId
