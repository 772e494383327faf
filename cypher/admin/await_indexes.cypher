// Wait until every index can answer: creation returns before an index is populated.
//
// Access: read
// Parameters:
//   seconds: how long to wait at most
CALL db.awaitIndexes($seconds)
