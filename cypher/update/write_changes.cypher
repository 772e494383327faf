// Write the changes of a plan, or of its undoing, all at once. Aliases and entities are locked already. Each kind of
// change is counted, for the caller to compare with what it sent: a number that differs means that the graph is not as
// it was read, and the transaction is given up.
//
// All lists travel in one map: the server plans a statement anew for each length that a list among its parameters has,
// which takes it seconds here, and a map has no length.
//
// Access: write
// Parameters:
//   space: name of the space
//   changes: the lists of all kinds, empty ones too
//     evidence: {uuid, hash, conversation, content, terms, source, speaker, at} of rolled messages, to be found again
//     newEntities: {uuid, subject, externalId, createdAt, updatedAt}
//     entities: {uuid, subject, externalId, updatedAt} that change or are touched
//     goneEntities: {uuid}: made by a run that is taken back
//     mergedEntities: {uuid, into}: they stay out of sight, with their history, for an undo
//     backEntities: {uuid, subject, externalId, updatedAt}: merged ones come back
//     names: {entity, key, looseKey, text, kind, deprecated, since, terms} that come or change
//     goneNames: {entity, key}
//     newImpressions: {uuid, entity, key, text, terms, confidence, support, createdAt, updatedAt, embedding}
//     newFeatures: the same
//     statements: {uuid, entity, from, text, terms, confidence, support, updatedAt}: change, or move from another entity
//     goneStatements: {uuid, entity}: superseded
//     backStatements: {uuid, entity, impression, text, terms, confidence, support, updatedAt}: superseded ones come back
//     relations: {uuid, source, target, relation, key, terms, strength, support, evidence, createdAt, updatedAt} that come
//     changedRelations: {uuid, source, strength, support, evidence, updatedAt}
//     goneRelations: {uuid, source}
//     supports: {statement, evidence}
//     goneSupports: {statement, evidence}
//     bindings: {runtimeId, entity, was, liveKey, live, givesBack}: was is the live key it has, unless it has expired
//       meanwhile; live is the key of the active entity that takes over its evidence; givesBack undoes that
// Columns:
//   counts: {newEntities, entities, goneEntities, mergedEntities, backEntities, names, goneNames, newImpressions,
//     newFeatures, statements, goneStatements, backStatements, relations, changedRelations, goneRelations, supports,
//     bindings}
CYPHER 25
CALL () {
  UNWIND $changes.evidence AS said
  MERGE (evidence:Evidence {space: $space, hash: said.hash})
    ON CREATE SET evidence.uuid = said.uuid, evidence.conversation = said.conversation,
      evidence.content = said.content, evidence.terms = said.terms, evidence.source = said.source,
      evidence.speaker = said.speaker, evidence.firstAt = said.at, evidence.lastAt = said.at
  RETURN count(*) AS messages
}
CALL (messages) {
  UNWIND $changes.newEntities AS new
  CREATE (:Entity {
    uuid: new.uuid, space: $space, externalId: new.externalId, subject: new.subject, revision: 1,
    createdAt: new.createdAt, updatedAt: new.updatedAt
  })
  RETURN count(*) AS newEntities
}
CALL (newEntities) {
  UNWIND $changes.backEntities AS back
  MATCH (entity:MergedEntity {uuid: back.uuid})
  CALL (entity) {
    MATCH (entity)-[merged:MERGED_INTO]->()
    DELETE merged
  }
  REMOVE entity:MergedEntity
  SET entity:Entity
  SET entity.subject = back.subject, entity.externalId = back.externalId, entity.updatedAt = back.updatedAt
  RETURN count(*) AS backEntities
}
CALL (backEntities) {
  UNWIND $changes.entities AS each
  MATCH (entity:Entity {uuid: each.uuid})
  SET entity.subject = each.subject, entity.externalId = each.externalId, entity.updatedAt = each.updatedAt,
    entity.revision = entity.revision + 1
  RETURN count(*) AS entities
}
CALL (entities) {
  UNWIND $changes.goneRelations AS gone
  MATCH (:Entity {uuid: gone.source})-[relation:RELATES_TO]->(:Entity)
  WHERE relation.uuid = gone.uuid
  DELETE relation
  RETURN count(*) AS goneRelations
}
CALL (goneRelations) {
  UNWIND $changes.goneNames AS gone
  MATCH (:Entity {uuid: gone.entity})-[known:KNOWN_AS]->(alias:Alias {space: $space, key: gone.key})
  DELETE known
  WITH alias
  // A name that nobody bears any more is not searched for; it goes unless a conversation still uses it.
  CALL (alias) {
    WITH alias WHERE NOT EXISTS { (alias)<-[:KNOWN_AS]-() }
    REMOVE alias.terms
    WITH alias WHERE NOT EXISTS { (alias)<-[:MENTIONED_AS]-() }
    DELETE alias
  }
  RETURN count(*) AS goneNames
}
CALL (goneNames) {
  UNWIND $changes.names AS name
  MATCH (entity:Entity {uuid: name.entity})
  MERGE (alias:Alias {space: $space, key: name.key})
    ON CREATE SET alias.looseKey = name.looseKey, alias.text = name.text
  SET alias.terms = name.terms
  MERGE (entity)-[known:KNOWN_AS]->(alias)
  SET known.text = name.text, known.kind = name.kind, known.deprecated = name.deprecated, known.since = name.since
  RETURN count(*) AS names
}
CALL (names) {
  UNWIND $changes.goneStatements AS gone
  MATCH (:Entity {uuid: gone.entity})-[edge:HAS_IMPRESSION|HAS_FEATURE]->(node)
  WHERE node.uuid = gone.uuid
  DELETE edge
  REMOVE node:Impression:Feature
  SET node:Superseded, node.entity = gone.entity
  RETURN count(*) AS goneStatements
}
CALL (goneStatements) {
  UNWIND $changes.newImpressions AS new
  MATCH (entity:Entity {uuid: new.entity})
  CREATE (entity)-[:HAS_IMPRESSION]->(:Impression {
    uuid: new.uuid, space: $space, key: new.key, text: new.text, terms: new.terms, confidence: new.confidence,
    support: new.support, createdAt: new.createdAt, updatedAt: new.updatedAt, embedding: toFloatList(new.embedding)
  })
  RETURN count(*) AS newImpressions
}
CALL (newImpressions) {
  UNWIND $changes.newFeatures AS new
  MATCH (entity:Entity {uuid: new.entity})
  CREATE (entity)-[:HAS_FEATURE]->(:Feature {
    uuid: new.uuid, space: $space, key: new.key, text: new.text, terms: new.terms, confidence: new.confidence,
    support: new.support, createdAt: new.createdAt, updatedAt: new.updatedAt, embedding: toFloatList(new.embedding)
  })
  RETURN count(*) AS newFeatures
}
CALL (newFeatures) {
  UNWIND $changes.backStatements AS back
  MATCH (entity:Entity {uuid: back.entity})
  MATCH (node:Superseded {uuid: back.uuid})
  REMOVE node:Superseded
  REMOVE node.entity
  SET node.text = back.text, node.terms = back.terms, node.confidence = back.confidence, node.support = back.support,
    node.updatedAt = back.updatedAt
  FOREACH (_ IN CASE WHEN back.impression THEN [1] ELSE [] END |
    SET node:Impression
    CREATE (entity)-[:HAS_IMPRESSION]->(node))
  FOREACH (_ IN CASE WHEN back.impression THEN [] ELSE [1] END |
    SET node:Feature
    CREATE (entity)-[:HAS_FEATURE]->(node))
  RETURN count(*) AS backStatements
}
CALL (backStatements) {
  UNWIND $changes.statements AS each
  MATCH (:Entity {uuid: each.from})-[edge:HAS_IMPRESSION|HAS_FEATURE]->(node)
  WHERE node.uuid = each.uuid
  SET node.text = each.text, node.terms = each.terms, node.confidence = each.confidence, node.support = each.support,
    node.updatedAt = each.updatedAt
  WITH each, edge, node
  CALL (each, edge, node) {
    WITH each, edge, node WHERE each.entity <> each.from
    MATCH (owner:Entity {uuid: each.entity})
    FOREACH (_ IN CASE WHEN node:Impression THEN [1] ELSE [] END | CREATE (owner)-[:HAS_IMPRESSION]->(node))
    FOREACH (_ IN CASE WHEN node:Impression THEN [] ELSE [1] END | CREATE (owner)-[:HAS_FEATURE]->(node))
    DELETE edge
  }
  RETURN count(*) AS statements
}
CALL (statements) {
  UNWIND $changes.relations AS new
  MATCH (source:Entity {uuid: new.source})
  WITH source, new
  MATCH (target:Entity {uuid: new.target})
  CREATE (source)-[:RELATES_TO {
    uuid: new.uuid, space: $space, relation: new.relation, key: new.key, terms: new.terms, strength: new.strength,
    support: new.support, evidence: new.evidence, createdAt: new.createdAt, updatedAt: new.updatedAt
  }]->(target)
  RETURN count(*) AS relations
}
CALL (relations) {
  UNWIND $changes.changedRelations AS each
  MATCH (:Entity {uuid: each.source})-[relation:RELATES_TO]->(:Entity)
  WHERE relation.uuid = each.uuid
  SET relation.strength = each.strength, relation.support = each.support, relation.evidence = each.evidence,
    relation.updatedAt = each.updatedAt
  RETURN count(*) AS changedRelations
}
CALL (changedRelations) {
  UNWIND $changes.supports AS support
  MATCH (statement:Impression|Feature {uuid: support.statement})
  MATCH (evidence:Evidence {uuid: support.evidence})
  MERGE (statement)-[:SUPPORTED_BY]->(evidence)
  RETURN count(*) AS supports
}
CALL (supports) {
  UNWIND $changes.goneSupports AS support
  MATCH (statement:Impression|Feature|Superseded {uuid: support.statement})-[edge:SUPPORTED_BY]->(evidence:Evidence)
  WHERE evidence.uuid = support.evidence
  DELETE edge
  RETURN count(*) AS goneSupports
}
CALL (goneSupports) {
  UNWIND $changes.bindings AS binding
  MATCH (active:ActiveEntity {runtimeId: binding.runtimeId})
  SET active.liveKey = CASE WHEN binding.was IS NULL OR active.liveKey = binding.was THEN binding.liveKey END
  SET active.state = CASE WHEN active.liveKey IS NULL THEN 'EXPIRED' ELSE 'ACTIVE' END
  WITH active, binding
  CALL (active) {
    MATCH (active)-[old:BOUND_TO]->(:Entity)
    DELETE old
  }
  CALL (active, binding) {
    MATCH (entity:Entity {uuid: binding.entity})
    MERGE (active)-[:BOUND_TO]->(entity)
  }
  CALL (active, binding) {
    MATCH (live:ActiveEntity {liveKey: binding.live})
    WHERE live <> active
    MATCH (active)-[link:HAS_EVIDENCE]->(evidence:Evidence)
    MERGE (live)-[taken:HAS_EVIDENCE]->(evidence)
      ON CREATE SET taken.associationConfidence = link.associationConfidence, taken.reasons = link.reasons,
        taken.takenFrom = active.runtimeId
  }
  CALL (active, binding) {
    WITH active, binding WHERE binding.givesBack
    MATCH (active)-[:HAS_EVIDENCE]->(:Evidence)<-[taken:HAS_EVIDENCE]-(:ActiveEntity)
    WHERE taken.takenFrom = active.runtimeId
    DELETE taken
  }
  RETURN count(*) AS bindings
}
CALL (bindings) {
  UNWIND $changes.goneEntities AS gone
  MATCH (entity:Entity {uuid: gone.uuid})
  // Whatever still hangs on it was not part of the plan: it must not go with it.
  WHERE NOT EXISTS { (entity)-[:RELATES_TO|HAS_IMPRESSION|HAS_FEATURE|KNOWN_AS]-() }
  DETACH DELETE entity
  RETURN count(*) AS goneEntities
}
CALL (goneEntities) {
  UNWIND $changes.mergedEntities AS gone
  MATCH (entity:Entity {uuid: gone.uuid})
  WHERE NOT EXISTS { (entity)-[:RELATES_TO|HAS_IMPRESSION|HAS_FEATURE|KNOWN_AS|BOUND_TO]-() }
  MATCH (into:Entity {uuid: gone.into})
  REMOVE entity:Entity
  SET entity:MergedEntity
  CREATE (entity)-[:MERGED_INTO]->(into)
  RETURN count(*) AS mergedEntities
}
RETURN {
  newEntities: newEntities, entities: entities, goneEntities: goneEntities, mergedEntities: mergedEntities,
  backEntities: backEntities, names: names, goneNames: goneNames, supports: supports,
  newImpressions: newImpressions, newFeatures: newFeatures, statements: statements, goneStatements: goneStatements,
  backStatements: backStatements, relations: relations, changedRelations: changedRelations,
  goneRelations: goneRelations, bindings: bindings
} AS counts
