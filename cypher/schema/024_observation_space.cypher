// Lists the observations of a space: the composite index does not serve the space alone.
//
// Access: schema
CREATE INDEX observation_space IF NOT EXISTS
FOR (observation:Observation) ON (observation.space)
