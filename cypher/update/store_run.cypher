// Store the record of something that was done already in this transaction.
//
// Access: write
// Parameters:
//   run: properties of the run
CREATE (run:UpdateRun)
SET run = $run
