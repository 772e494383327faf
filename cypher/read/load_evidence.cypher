// Evidence by its ids, for one space.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuids: ids of evidence
// Columns:
//   evidence: what is shown of it, moments as text; ids unknown in this space have no row
UNWIND $uuids AS uuid
MATCH (evidence:Evidence {uuid: uuid})
WHERE evidence.space = $space
RETURN evidence {
  .uuid, .content, .source, .speaker, firstAt: toString(evidence.firstAt), lastAt: toString(evidence.lastAt)
} AS evidence
