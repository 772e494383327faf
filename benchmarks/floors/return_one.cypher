// One round trip.
//
// Access: read
// Columns:
//   one: 1
RETURN 1 AS one
