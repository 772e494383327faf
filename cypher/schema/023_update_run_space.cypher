// Lists the runs of a space: the composite indexes do not serve the space alone.
//
// Access: schema
CREATE INDEX update_run_space IF NOT EXISTS
FOR (run:UpdateRun) ON (run.space)
