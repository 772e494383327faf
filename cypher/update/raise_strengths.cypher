// Raise the strength of relations.
//
// Access: write
// Parameters:
//   at: now
//   relations: [{uuid, strength}]
UNWIND $relations AS raised
MATCH (:Entity)-[relation:RELATES_TO {uuid: raised.uuid}]->(:Entity)
SET relation.strength = raised.strength, relation.updatedAt = $at
