// Finds the runs whose lease has run out: somebody was working on them and is gone.
//
// Access: schema
CREATE INDEX update_run_lease IF NOT EXISTS
FOR (run:UpdateRun) ON (run.leaseUntil)
