// What a space holds.
//
// Access: read
// Parameters:
//   space: name of the space
// Columns:
//   entities: how many entities
//   names: how many different names
//   impressions: how many impressions
//   features: how many features
//   relations: how many relations
//   activeEntities: how many live active entities
//   evidence: how much evidence
CYPHER 25
CALL () {
  // From the entities, not from the relations of all spaces: while these are few, a plan might scan them.
  MATCH (source:Entity) WHERE source.space = $space
  RETURN sum(COUNT { (source)-[:RELATES_TO]->() }) AS relations
}
RETURN
  COUNT { MATCH (entity:Entity) WHERE entity.space = $space } AS entities,
  COUNT { MATCH (alias:Alias) WHERE alias.space = $space } AS names,
  COUNT { MATCH (impression:Impression) WHERE impression.space = $space } AS impressions,
  COUNT { MATCH (feature:Feature) WHERE feature.space = $space } AS features,
  relations,
  COUNT {
    MATCH (active:ActiveEntity) WHERE active.space = $space AND active.state = 'ACTIVE'
  } AS activeEntities,
  COUNT { MATCH (evidence:Evidence) WHERE evidence.space = $space } AS evidence
