// Lists the steps of a space's runs, for a forgetting to look through.
//
// Access: schema
CREATE INDEX update_step_space IF NOT EXISTS
FOR (step:UpdateStep) ON (step.space)
