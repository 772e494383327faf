// Delete rolled messages that became evidence for a run that is taken back, unless something else rests on them.
//
// Access: write
// Parameters:
//   space: name of the space
//   evidence: uuids of what the run rested on
// Columns:
//   dropped: how many
CYPHER 25
CALL () {
  UNWIND $evidence AS uuid
  MATCH (evidence:Evidence {uuid: uuid, space: $space})
  WHERE evidence.source = 'ROLLING' AND NOT EXISTS { (evidence)<-[:HAS_EVIDENCE|SUPPORTED_BY|CITES]-() }
  RETURN collect(evidence) AS unused
}
CALL (unused) {
  // Relations name their evidence by uuid: one look at all of them, and only where there is something to delete.
  WITH [each IN unused | each.uuid] AS uuids WHERE unused <> []
  MATCH (source:Entity)-[relation:RELATES_TO]->(:Entity)
  WHERE source.space = $space AND any(uuid IN relation.evidence WHERE uuid IN uuids)
  UNWIND relation.evidence AS uuid
  RETURN collect(DISTINCT uuid) AS cited
}
CALL (unused, cited) {
  UNWIND [each IN unused WHERE NOT each.uuid IN cited] AS evidence
  DETACH DELETE evidence
  RETURN count(*) AS dropped
}
RETURN dropped
