// The run that stands under a caller's key, if there is one.
//
// Access: read
// Parameters:
//   space: name of the space
//   key: the caller's key
// Columns:
//   run: its properties
MATCH (run:UpdateRun {space: $space, key: $key})
RETURN properties(run) AS run
