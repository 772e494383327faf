// List every index, with what a person needs to see whether it can answer.
//
// Access: read
// Columns:
//   name: what the schema calls it
//   type: RANGE, FULLTEXT, VECTOR or LOOKUP
//   state: ONLINE, POPULATING or FAILED
//   populated: how much of it is built, in percent
SHOW INDEXES YIELD name, type, state, populationPercent
RETURN name, type, state, populationPercent AS populated
ORDER BY name
