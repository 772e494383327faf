// Raise the confidence of statements.
//
// Access: write
// Parameters:
//   at: now
//   statements: [{uuid, confidence}]
UNWIND $statements AS raised
MATCH (statement:Impression|Feature {uuid: raised.uuid})
SET statement.confidence = raised.confidence, statement.updatedAt = $at
