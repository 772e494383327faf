// Evidence that names somebody who was forgotten, or was said by them, for a person to look through: others rest on it,
// so it stays.
//
// Access: read
// Parameters:
//   space: name of the space
//   traces: {part, pattern} of the names
//   listed: uuids of evidence that is listed already
//   most: how many at most
// Columns:
//   latest: {uuid, content, speaker} of the latest, the last said first
//   found: how many there are in all
CYPHER 25
MATCH (evidence:Evidence)
WHERE evidence.space = $space AND NOT evidence.uuid IN $listed AND any(trace IN $traces WHERE
  any(text IN [toLower(evidence.content), toLower(evidence.speaker)] WHERE
    text CONTAINS trace.part AND text =~ trace.pattern))
WITH evidence ORDER BY evidence.lastAt DESC, evidence.uuid
WITH collect(evidence { .uuid, .content, .speaker }) AS named
RETURN named[..$most] AS latest, size(named) AS found
