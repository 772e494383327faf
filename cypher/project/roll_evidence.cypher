// Mark evidence as rolled: it leaves the live index; of what earlier runs rolled, an active entity keeps only what is
// among its latest rolled evidence up to a bound. What this run rolls stays until the next, so that it can be taken
// back. The link of what falls out is cut; the evidence itself goes once no active entity holds it, no statement and no
// relation rests on it and no pending observation cites it.
//
// Access: write
// Parameters:
//   space: name of the space
//   evidence: uuids, in sorted order
//   run: id of the run that rolled them
//   mostRolled: rolled evidence one active entity keeps, or more where this run rolls more
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
    WHERE old.rolledIn <> $run
    DELETE link
    WITH DISTINCT old
    WHERE NOT EXISTS { (old)<-[:HAS_EVIDENCE|SUPPORTED_BY|CITES]-() }
    // Relations name their evidence by uuid, for the want of edges from edges: an index finds them.
    CALL (old) {
      CALL db.index.fulltext.queryRelationships('relation_evidence', '"' + old.uuid + '"', {limit: 1})
      YIELD relationship
      RETURN count(relationship) AS resting
    }
    WITH old WHERE resting = 0
    DETACH DELETE old
  }
}
RETURN size(rolled) AS rolled
