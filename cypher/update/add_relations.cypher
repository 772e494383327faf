// Add relations between entities.
//
// Access: write
// Parameters:
//   space: name of the space
//   at: now
//   relations: [{source, target, uuid, relation, key, terms, strength}]
UNWIND $relations AS new
MATCH (source:Entity {uuid: new.source})
WITH source, new
MATCH (target:Entity {uuid: new.target})
CREATE (source)-[:RELATES_TO {
  uuid: new.uuid, space: $space, relation: new.relation, key: new.key, terms: new.terms, strength: new.strength,
  support: 1, createdAt: $at, updatedAt: $at, evidence: []
}]->(target)
