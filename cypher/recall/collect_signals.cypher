// Everything one recall needs, in one round trip: who is called by a name in the text, which names, statements,
// relations and live evidence share its terms, which statements are near its vector, what the named entities relate to,
// what the conversation is about already, and how common the terms are in this space.
//
// Access: read
// Parameters:
//   space: name of the space
//   conversation: name of the conversation
//   nameKeys: identity keys of the text's word sequences and of the caller's mentions
//   relatedKeys: the same without the mentions, to bring relations first whose name the text holds
//   termKeys: the text's terms behind the token of the space, and that token alone
//   memoryQueries: one full-text query over names, statements and relations, or none
//   evidenceQueries: one full-text query over the conversation's live evidence, or none
//   vectors: the text's vector, or none
//   hash: hash of the evidence this text would become; it never recalls itself
//   aliveSince: active entities mentioned before are no longer recalled
//   textLimit: how many names and statements to look at
//   relationLimit: how many relations to look at by name
//   evidenceLimit: how much live evidence to look at
//   vectorLimit: how many near statements to look at
//   fewStatements: a space of no more statements is compared one by one, more than vectorLimit
//   nearLimit: how much of the conversation's latest live evidence to compare with the vector
//   bearerLimit: how many bearers of the names to look at, those of the first keys first
//   namedLimit: of how many of them to look at the relations
//   neighbourLimit: how many relations of one named entity to look at
//   activeLimit: how many active entities to look at
// Columns:
//   names: {key, uuid, subject, text, kind, deprecated}, one a bearer of a name
//   neighbours: {source, uuid, subject, relation_uuid, relation, outgoing, strength, degree}
//   texts: {uuid, subject, field, statement, text, terms, deprecated}
//   relations: {uuid, subject, relation_uuid, text, terms}
//   evidence: {runtime_id, evidence, text, terms, confidence, last_at}
//   vectors: {uuid, subject, field, statement, text, cosine}
//   near: {runtime_id, evidence, text, cosine, confidence, last_at}
//   actives: {runtime_id, subject, bound, bound_subject, mentions, created_at, last_mentioned_at, last_confidence, live}, latest first
//   terms: {key, documents}
//   linked: runtime ids of the live active entities that this very input is linked to already
CYPHER 25
CALL () {
  UNWIND $nameKeys AS key
  MATCH (alias:Alias {space: $space, key: key})<-[known:KNOWN_AS]-(bearer:Entity)
  WITH key, known, bearer LIMIT $bearerLimit
  RETURN collect({
    key: key, uuid: bearer.uuid, subject: bearer.subject, text: known.text, kind: known.kind,
    deprecated: known.deprecated
  }) AS names
}
CALL (names) {
  UNWIND names AS name
  WITH DISTINCT name.uuid AS uuid LIMIT $namedLimit
  MATCH (source:Entity {uuid: uuid})
  CALL (source) {
    MATCH (source)-[relation:RELATES_TO]-(neighbour:Entity)
    WITH source, relation, neighbour
    ORDER BY relation.key IN $relatedKeys DESC, relation.strength DESC, relation.uuid
    LIMIT $neighbourLimit
    RETURN collect({
      source: source.uuid, uuid: neighbour.uuid, subject: neighbour.subject, relation_uuid: relation.uuid,
      relation: relation.relation, outgoing: startNode(relation) = source, strength: relation.strength,
      degree: COUNT { (source)-[:RELATES_TO]-() }
    }) AS related
  }
  UNWIND related AS one
  RETURN collect(one) AS neighbours
}
CALL (neighbours) {
  UNWIND $memoryQueries AS query
  CALL db.index.fulltext.queryNodes('memory_terms', query, {limit: $textLimit}) YIELD node
  WHERE node.space = $space
  MATCH (node)<-[edge:KNOWN_AS|HAS_IMPRESSION|HAS_FEATURE]-(bearer:Entity)
  RETURN collect({
    uuid: bearer.uuid, subject: bearer.subject,
    field: CASE type(edge) WHEN 'KNOWN_AS' THEN edge.kind WHEN 'HAS_IMPRESSION' THEN 'IMPRESSION' ELSE 'FEATURE' END,
    statement: node.uuid, text: coalesce(edge.text, node.text), terms: node.terms,
    deprecated: coalesce(edge.deprecated, false)
  }) AS texts
}
CALL (texts) {
  UNWIND $memoryQueries AS query
  CALL db.index.fulltext.queryRelationships('relation_terms', query, {limit: $relationLimit}) YIELD relationship
  WHERE relationship.space = $space
  RETURN collect({
    uuid: startNode(relationship).uuid, subject: startNode(relationship).subject, relation_uuid: relationship.uuid,
    text: relationship.relation, terms: relationship.terms
  }) AS relations
}
CALL (relations) {
  UNWIND $evidenceQueries AS query
  CALL db.index.fulltext.queryNodes('live_evidence_terms', query, {limit: $evidenceLimit}) YIELD node
  WHERE node.space = $space AND node.conversation = $conversation AND node.hash <> $hash
  MATCH (node)<-[link:HAS_EVIDENCE]-(active:ActiveEntity)
  // A CASE and not a WHERE, by which a plan could begin at the active entities of every space that live.
  RETURN collect(CASE WHEN active.state = 'ACTIVE' AND active.lastMentionedAt > $aliveSince THEN {
    runtime_id: active.runtimeId, evidence: node.uuid, text: node.content, terms: node.terms,
    confidence: link.associationConfidence, last_at: node.lastAt
  } END) AS evidence
}
CALL (evidence) {
  CALL () {
    MATCH (some:Impression) WHERE some.space = $space RETURN some LIMIT $fewStatements + 1
    UNION ALL
    MATCH (some:Feature) WHERE some.space = $space RETURN some LIMIT $fewStatements + 1
  }
  RETURN collect(some) AS few
}
CALL (few) {
  // The index is asked only where it has more than it is asked for: Neo4j 2026.09 fails, or never answers, where a
  // filtered search finds fewer than its limit and the last segment of the index has seen deletions.
  UNWIND $vectors AS vector
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
    // The index searches quantised vectors and scores what it found by the stored ones: this is exact.
    cosine: 2 * score - 1
  }) AS vectors
}
CALL (vectors) {
  // By hand over the latest evidence of this conversation: exact, and no filter that could leave nothing.
  UNWIND $vectors AS vector
  MATCH (active:ActiveEntity {space: $space, conversation: $conversation, state: 'ACTIVE'})
    -[link:HAS_EVIDENCE]->(node:LiveEvidence)
  // Left to itself the planner looks through the live active entities of every space, by their time.
  USING INDEX active:ActiveEntity(space, conversation, state)
  WHERE active.lastMentionedAt > $aliveSince AND node.embedding IS NOT NULL AND node.hash <> $hash
  WITH vector, active, link, node ORDER BY node.lastAt DESC, node.uuid LIMIT $nearLimit
  RETURN collect({
    runtime_id: active.runtimeId, evidence: node.uuid, text: node.content,
    cosine: 2 * vector.similarity.cosine(node.embedding, vector) - 1,
    confidence: link.associationConfidence, last_at: node.lastAt
  }) AS near
}
CALL (near) {
  MATCH (active:ActiveEntity {space: $space, conversation: $conversation, state: 'ACTIVE'})
  WITH active ORDER BY active.lastMentionedAt DESC, active.lastConfidence DESC, active.runtimeId LIMIT $activeLimit
  RETURN collect({
    runtime_id: active.runtimeId, subject: active.subject,
    bound: head([(active)-[:BOUND_TO]->(entity:Entity) | entity.uuid]),
    bound_subject: head([(active)-[:BOUND_TO]->(entity:Entity) | entity.subject]),
    mentions: [(active)-[:MENTIONED_AS]->(alias:Alias) | alias.key],
    created_at: active.createdAt, last_mentioned_at: active.lastMentionedAt,
    last_confidence: coalesce(active.lastConfidence, 0.0), live: active.lastMentionedAt > $aliveSince
  }) AS actives
}
CALL (actives) {
  UNWIND $termKeys AS key
  MATCH (term:Term {key: key})
  RETURN collect({key: key, documents: term.documents}) AS terms
}
CALL (terms) {
  MATCH (:Evidence {space: $space, hash: $hash})<-[:HAS_EVIDENCE]-(active:ActiveEntity)
  RETURN collect(
    CASE WHEN active.state = 'ACTIVE' AND active.lastMentionedAt > $aliveSince THEN active.runtimeId END
  ) AS linked
}
RETURN names, neighbours, texts, relations, evidence, vectors, near, actives, terms, linked
