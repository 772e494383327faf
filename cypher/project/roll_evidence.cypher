// Mark evidence as rolled: it leaves the live index; an active entity keeps its latest rolled evidence up to a bound.
// The link of what falls out is cut, the evidence itself goes once nothing else leads to it.
//
// Access: write
// Parameters:
//   space: name of the space
//   evidence: uuids, in sorted order
//   run: id of the run that rolled them
//   mostRolled: rolled evidence one active entity keeps
// Columns:
//   rolled: how many were marked
CYPHER 25
CALL () {
  UNWIND $evidence AS uuid
  MATCH (evidence:Evidence {uuid: uuid, space: $space})
  WHERE evidence.rolledIn IS NULL
  SET evidence.rolledIn = $run
  REMOVE evidence:LiveEvidence
  RETURN collect(evidence) AS rolled
}
CALL (rolled) {
  UNWIND rolled AS evidence
  MATCH (evidence)<-[:HAS_EVIDENCE]-(active:ActiveEntity)
  WITH DISTINCT active
  CALL (active) {
    MATCH (active)-[link:HAS_EVIDENCE]->(old:Evidence)
    WHERE old.rolledIn IS NOT NULL
    WITH link, old ORDER BY old.lastAt DESC, old.uuid SKIP $mostRolled
    DELETE link
    WITH DISTINCT old
    WHERE NOT EXISTS { (old)<-[:HAS_EVIDENCE|SUPPORTED_BY]-() }
    DETACH DELETE old
  }
}
RETURN size(rolled) AS rolled
