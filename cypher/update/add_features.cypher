// Add features to entities.
//
// Access: write
// Parameters:
//   space: name of the space
//   at: now
//   statements: [{entity: uuid of the entity, uuid, key, text, terms, confidence, embedding: VECTOR}]
CYPHER 25
UNWIND $statements AS new
MATCH (entity:Entity {uuid: new.entity})
CREATE (entity)-[:HAS_FEATURE]->(:Feature {
  uuid: new.uuid, space: $space, key: new.key, text: new.text, terms: new.terms, confidence: new.confidence,
  support: 1, createdAt: $at, updatedAt: $at, embedding: toFloatList(new.embedding)
})
