// A run is taken back: what it has decided waits again, and its own observations wait no longer: the same, sent again,
// is observed anew.
//
// Access: write
// Parameters:
//   runId: the run that is taken back
//   reason: why its own observations wait no longer
// Columns:
//   waiting: how many wait again
CYPHER 25
MATCH (run:UpdateRun {runId: $runId})
CALL (run) {
  MATCH (run)-[:OBSERVED]->(own:Observation)
  CALL (own) {
    MATCH (own)-[cites:CITES]->(:Evidence)
    DELETE cites
  }
  CALL (own) {
    MATCH (:UpdateRun)-[settled:SETTLED]->(own)
    DELETE settled
  }
  WITH own WHERE own.pending
  SET own.pending = false, own.decision = 'DISCARDED', own.reason = $reason
  RETURN count(own) AS dropped
}
CALL (run, dropped) {
  MATCH (run)-[settled:SETTLED]->(other:Observation)
  DELETE settled
  SET other.pending = true, other.decision = 'POSTPONED'
  RETURN count(other) AS waiting
}
RETURN waiting
