// What the whole database holds, from the counts it keeps.
//
// Access: read
// Columns:
//   entities: how many entities
//   names: how many different names
//   impressions: how many impressions
//   features: how many features
//   relations: how many relations
//   activeEntities: how many active entities, expired ones included
//   evidence: how much evidence
CYPHER 25
CALL () { MATCH (entity:Entity) RETURN count(entity) AS entities }
CALL (entities) { MATCH (alias:Alias) RETURN count(alias) AS names }
CALL (names) { MATCH (impression:Impression) RETURN count(impression) AS impressions }
CALL (impressions) { MATCH (feature:Feature) RETURN count(feature) AS features }
CALL (features) { MATCH ()-[relation:RELATES_TO]->() RETURN count(relation) AS relations }
CALL (relations) { MATCH (active:ActiveEntity) RETURN count(active) AS activeEntities }
CALL (activeEntities) { MATCH (evidence:Evidence) RETURN count(evidence) AS evidence }
RETURN entities, names, impressions, features, relations, activeEntities, evidence
