// Finds the runs of a space that were written since a moment.
//
// Access: schema
CREATE INDEX update_run_updated IF NOT EXISTS
FOR (run:UpdateRun) ON (run.space, run.updatedAt)
