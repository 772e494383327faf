// Every index call of a recall and nothing else.
//
// Access: read
// Parameters:
//   space: name of the space
//   conversation: name of the conversation
//   nameKeys: identity keys of the text's word sequences
//   termKeys: the text's terms behind the token of the space, and that token alone
//   memoryQueries: one full-text query over names, statements and relations, or none
//   evidenceQueries: one full-text query over the conversation's live evidence, or none
//   vectors: the text's vector, or none
//   hash: hash of the evidence this text would become
//   textLimit: how many names and statements
//   relationLimit: how many relations
//   evidenceLimit: how much live evidence
//   vectorLimit: how many near statements
// Columns:
//   names: how many names were found
//   texts: how many names and statements
//   relations: how many relations
//   evidence: how much live evidence
//   near: how many near statements
//   actives: how many active entities
//   terms: how many terms
//   before: how many times the very input was given before: at most one
CYPHER 25
CALL () { UNWIND $nameKeys AS key MATCH (alias:Alias {space: $space, key: key}) RETURN count(alias) AS names }
CALL () {
  UNWIND $memoryQueries AS query
  CALL db.index.fulltext.queryNodes('memory_terms', query, {limit: $textLimit}) YIELD node
  RETURN count(node) AS texts
}
CALL () {
  UNWIND $memoryQueries AS query
  CALL db.index.fulltext.queryRelationships('relation_terms', query, {limit: $relationLimit}) YIELD relationship
  RETURN count(relationship) AS relations
}
CALL () {
  UNWIND $evidenceQueries AS query
  CALL db.index.fulltext.queryNodes('live_evidence_terms', query, {limit: $evidenceLimit}) YIELD node
  RETURN count(node) AS evidence
}
CALL () {
  UNWIND $vectors AS vector
  MATCH (node:Impression|Feature)
  SEARCH node IN (VECTOR INDEX statement_vectors FOR vector WHERE node.space = $space LIMIT $vectorLimit)
  RETURN count(node) AS near
}
CALL () {
  MATCH (active:ActiveEntity {space: $space, conversation: $conversation, state: 'ACTIVE'})
  RETURN count(active) AS actives
}
CALL () { UNWIND $termKeys AS key MATCH (term:Term {key: key}) RETURN count(term) AS terms }
CALL () { MATCH (before:Evidence {space: $space, hash: $hash}) RETURN count(before) AS before }
RETURN names, texts, relations, evidence, near, actives, terms, before
