// One live run for the same thing sent twice; a run that ended without effect has given its key up.
//
// Access: schema
CREATE CONSTRAINT update_run_key IF NOT EXISTS
FOR (run:UpdateRun) REQUIRE (run.space, run.key) IS UNIQUE
