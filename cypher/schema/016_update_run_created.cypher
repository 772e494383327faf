// Lists the runs of a space, latest first.
//
// Access: schema
CREATE INDEX update_run_created IF NOT EXISTS
FOR (run:UpdateRun) ON (run.space, run.createdAt)
