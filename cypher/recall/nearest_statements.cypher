// The statements near a vector, and how near the conversation's latest live evidence is, for a recall that first looked
// without one.
//
// Access: read
// Parameters:
//   space: name of the space
//   conversation: name of the conversation
//   vector: the text's vector
//   hash: hash of the evidence the text would become
//   aliveSince: active entities mentioned before are no longer recalled
//   vectorLimit: how many near statements to look at
//   fewStatements: a space of no more statements is compared one by one, more than vectorLimit
//   nearLimit: how much live evidence to compare
// Columns:
//   vectors: {uuid, subject, field, statement, text, cosine}
//   near: {runtime_id, evidence, text, cosine, confidence, last_at}
CYPHER 25
CALL () {
  CALL () {
    MATCH (some:Impression) WHERE some.space = $space RETURN some LIMIT $fewStatements + 1
    UNION ALL
    MATCH (some:Feature) WHERE some.space = $space RETURN some LIMIT $fewStatements + 1
  }
  RETURN collect(some) AS few
}
CALL (few) {
  // When the index is asked, see collect_signals.
  UNWIND [$vector] AS vector
  CALL (vector, few) {
    UNWIND CASE WHEN size(few) <= $fewStatements THEN few ELSE [] END AS node
    WITH node, vector.similarity.cosine(node.embedding, vector) AS score
    ORDER BY score DESC, node.uuid LIMIT $vectorLimit
    RETURN node, score
    UNION ALL
    UNWIND CASE WHEN size(few) > $fewStatements THEN [vector] ELSE [] END AS asked
    MATCH (node:Impression|Feature)
    SEARCH node IN (VECTOR INDEX statement_vectors FOR asked WHERE node.space = $space LIMIT $vectorLimit)
      SCORE AS score
    RETURN node, score
  }
  MATCH (node)<-[edge:HAS_IMPRESSION|HAS_FEATURE]-(bearer:Entity)
  RETURN collect({
    uuid: bearer.uuid, subject: bearer.subject,
    field: CASE type(edge) WHEN 'HAS_IMPRESSION' THEN 'IMPRESSION' ELSE 'FEATURE' END,
    statement: node.uuid, text: node.text,
    cosine: 2 * score - 1
  }) AS vectors
}
CALL (vectors) {
  MATCH (active:ActiveEntity {space: $space, conversation: $conversation, state: 'ACTIVE'})
    -[link:HAS_EVIDENCE]->(node:LiveEvidence)
  // Left to itself the planner looks through the live active entities of every space, by their time.
  USING INDEX active:ActiveEntity(space, conversation, state)
  WHERE active.lastMentionedAt > $aliveSince AND node.embedding IS NOT NULL AND node.hash <> $hash
  WITH active, link, node ORDER BY node.lastAt DESC, node.uuid LIMIT $nearLimit
  RETURN collect({
    runtime_id: active.runtimeId, evidence: node.uuid, text: node.content,
    cosine: 2 * vector.similarity.cosine(node.embedding, $vector) - 1,
    confidence: link.associationConfidence, last_at: node.lastAt
  }) AS near
}
RETURN vectors, near
