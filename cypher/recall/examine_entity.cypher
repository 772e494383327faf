// What one entity would answer to a text, whether or not the indexes found it: for "why not?".
//
// Access: read
// Parameters:
//   space: name of the space
//   uuid: the entity
//   vectors: the text's vector, or none
//   statementLimit: how many of its statements to look at, best supported first
// Columns:
//   subject: canonical name of the entity
//   texts: {uuid, subject, field, statement, text, terms, deprecated}
//   relations: {uuid, subject, relation_uuid, text, terms}
//   vectors: {uuid, subject, field, statement, text, cosine}
CYPHER 25
MATCH (entity:Entity {uuid: $uuid, space: $space})
CALL (entity) {
  MATCH (entity)-[edge:KNOWN_AS|HAS_IMPRESSION|HAS_FEATURE]->(node)
  WITH edge, node ORDER BY coalesce(node.support, 0) DESC, elementId(node) LIMIT $statementLimit
  RETURN collect({edge: edge, node: node}) AS held
}
RETURN entity.subject AS subject,
  [each IN held | {
    uuid: entity.uuid, subject: entity.subject,
    field: CASE type(each.edge)
      WHEN 'KNOWN_AS' THEN each.edge.kind WHEN 'HAS_IMPRESSION' THEN 'IMPRESSION' ELSE 'FEATURE' END,
    statement: each.node.uuid, text: coalesce(each.edge.text, each.node.text), terms: coalesce(each.node.terms, ''),
    deprecated: coalesce(each.edge.deprecated, false)
  }] AS texts,
  [(entity)-[relation:RELATES_TO]->() | {
    uuid: entity.uuid, subject: entity.subject, relation_uuid: relation.uuid, text: relation.relation,
    terms: coalesce(relation.terms, '')
  }][..$statementLimit] AS relations,
  [vector IN $vectors | [each IN held WHERE each.node.embedding IS NOT NULL | {
    uuid: entity.uuid, subject: entity.subject,
    field: CASE type(each.edge) WHEN 'HAS_IMPRESSION' THEN 'IMPRESSION' ELSE 'FEATURE' END,
    statement: each.node.uuid, text: each.node.text,
    cosine: 2 * vector.similarity.cosine(each.node.embedding, vector) - 1
  }]] AS vectors
