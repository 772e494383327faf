// How many observations of a space wait for a decision.
//
// Access: read
// Parameters:
//   space: name of the space
// Columns:
//   total: how many
MATCH (observation:Observation {space: $space, pending: true})
RETURN count(observation) AS total
