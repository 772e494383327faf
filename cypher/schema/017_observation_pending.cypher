// Lists the observations of a space that wait for a decision.
//
// Access: schema
CREATE INDEX observation_pending IF NOT EXISTS
FOR (observation:Observation) ON (observation.space, observation.pending)
