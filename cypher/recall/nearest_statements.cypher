// The statements near a vector, for a recall that first looked without one.
//
// Access: read
// Parameters:
//   space: name of the space
//   vector: the text's vector
//   vectorLimit: how many near statements to look at
// Columns:
//   vectors: {uuid, subject, field, statement, text, cosine}
CYPHER 25
// Never ask the vector index for a space without statements, see collect_signals.
UNWIND CASE WHEN EXISTS { MATCH (some:Impression) WHERE some.space = $space }
  OR EXISTS { MATCH (some:Feature) WHERE some.space = $space } THEN [$vector] ELSE [] END AS vector
MATCH (node:Impression|Feature)
SEARCH node IN (VECTOR INDEX statement_vectors FOR vector WHERE node.space = $space LIMIT $vectorLimit)
MATCH (node)<-[edge:HAS_IMPRESSION|HAS_FEATURE]-(bearer:Entity)
RETURN collect({
  uuid: bearer.uuid, subject: bearer.subject,
  field: CASE type(edge) WHEN 'HAS_IMPRESSION' THEN 'IMPRESSION' ELSE 'FEATURE' END,
  statement: node.uuid, text: node.text,
  cosine: 2 * vector.similarity.cosine(node.embedding, vector) - 1
}) AS vectors
