// Read how far the vector index is built.
//
// Access: read
// Columns:
//   state: ONLINE, POPULATING or FAILED
//   populated: how much of it is built, in percent
SHOW VECTOR INDEXES YIELD name, state, populationPercent
WHERE name = 'statement_vectors'
RETURN state, populationPercent AS populated
