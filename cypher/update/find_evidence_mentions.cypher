// Evidence that names somebody who was forgotten, for a person to look through: others rest on it, so it stays.
//
// Access: read
// Parameters:
//   space: name of the space
//   traces: {part, pattern} of the names
//   most: how many at most
// Columns:
//   uuid: id of the evidence
//   content: the text
MATCH (evidence:Evidence)
WHERE evidence.space = $space AND any(trace IN $traces WHERE
  toLower(evidence.content) CONTAINS trace.part AND toLower(evidence.content) =~ trace.pattern)
RETURN evidence.uuid AS uuid, evidence.content AS content
ORDER BY evidence.lastAt DESC, uuid
LIMIT $most
