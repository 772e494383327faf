// Record one input: one live active entity for each thing it is about, one evidence, the links between them, and the
// statements it touched. Safe under any number of the same at once: what may be opened only once is merged under its
// `liveKey`, which is unique while the active entity lives, and the evidence under the hash of the input. A link that
// stands already keeps its confidence, so repeating an input never makes it surer. One whose time-to-live has run out is
// let go first, so that its key is free for the one to be opened. Nothing is written, and no row comes back, where the
// stored vectors are not of the model that this input was embedded with, or a reindex is not finished.
//
// Access: write
// Parameters:
//   space: name of the space
//   conversation: name of the conversation
//   at: moment of the input
//   aliveSince: active entities mentioned before no longer live
//   entities: {liveKey, runtimeId, entity, confidence, reasons, names, statements}, by entity; opened where none lives
//   waiting: runtime ids of the conversation's unbound active entities: one that goes by a name that only one of these
//     entities bears turns out to be it, as the memory has learned of it since, by an import above all
//   unbound: {runtimeId, confidence, reasons, names, statements} of unbound active entities, by runtime id
//   opened: {liveKey, runtimeId, subject, confidence, reasons, names, statements, unlessLinked}, by live key
//   evidence: {uuid, hash, content, terms, source, speaker, embedding: VECTOR or null}
//   vectors: {model, dimensions} of the model, null not to look
// Columns:
//   runtimeId: an active entity the input is linked to now
//   entity: uuid of its entity, where the input was to be linked to one
//   opened: whether this call opened it
//   confidence: how sure the link is
//   liveEvidence: how much evidence of it nobody has rolled yet
//   evidence: uuid of the evidence
//   content: its text, as it was spelt when it was said first
CYPHER 25
MATCH (meta:ServiceMeta {name: 'service'})
WHERE $vectors IS NULL OR (meta.reindexModel IS NULL
  AND meta.embeddingModel = $vectors.model AND meta.dimensions = $vectors.dimensions)
CALL () {
  UNWIND [each IN $entities + $opened | each.liveKey] AS liveKey
  MATCH (active:ActiveEntity {liveKey: liveKey})
  WHERE active.lastMentionedAt <= $aliveSince
  SET active.state = 'EXPIRED'
  REMOVE active.liveKey
  WITH active
  CALL (active) {
    MATCH (active)-[:HAS_EVIDENCE]->(evidence:LiveEvidence)
    WHERE NOT EXISTS { (evidence)<-[:HAS_EVIDENCE]-(:ActiveEntity {state: 'ACTIVE'}) }
    REMOVE evidence:LiveEvidence
  }
  RETURN count(active) AS overdue
}
CALL (overdue) {
  MATCH (:Evidence {space: $space, hash: $evidence.hash})<-[:HAS_EVIDENCE]-(active:ActiveEntity)
  // A CASE and not a WHERE, by which a plan could begin at the active entities of every space that live.
  RETURN collect(
    CASE WHEN active.state = 'ACTIVE' AND active.lastMentionedAt > $aliveSince THEN active.runtimeId END
  ) AS linked
}
CALL (linked) {
  UNWIND $entities AS each
  MATCH (entity:Entity {uuid: each.entity, space: $space})
  // Also the lock that keeps two projections from opening two.
  SET entity.lastMentionedAt =
    CASE WHEN entity.lastMentionedAt > $at THEN entity.lastMentionedAt ELSE $at END
  CALL (entity) {
    UNWIND $waiting AS runtimeId
    MATCH (other:ActiveEntity {runtimeId: runtimeId})
    WHERE other.state = 'ACTIVE' AND NOT EXISTS { (other)-[:BOUND_TO]->(:Entity) }
      AND EXISTS { (other)-[:MENTIONED_AS]->(:Alias)<-[:KNOWN_AS]-(entity) }
      AND NOT EXISTS { (other)-[:MENTIONED_AS]->(:Alias)<-[:KNOWN_AS]-(another:Entity) WHERE another <> entity }
    WITH other ORDER BY other.createdAt, other.runtimeId
    RETURN collect(other) AS namesakes
  }
  CALL (each, namesakes) {
    // The oldest becomes the live one of its entity, unless there is one.
    UNWIND namesakes[..1] AS oldest
    WITH each, oldest WHERE NOT EXISTS { (:ActiveEntity {liveKey: each.liveKey}) }
    SET oldest.liveKey = each.liveKey
    RETURN count(oldest) AS known
  }
  MERGE (active:ActiveEntity {liveKey: each.liveKey})
    ON CREATE SET active.runtimeId = each.runtimeId, active.space = $space, active.conversation = $conversation,
      active.subject = entity.subject, active.state = 'ACTIVE', active.createdAt = $at
  MERGE (active)-[:BOUND_TO]->(entity)
  WITH entity, each, active, namesakes
  CALL (entity, active, namesakes) {
    UNWIND namesakes AS other
    WITH entity, active, other WHERE other <> active
    SET other.state = 'EXPIRED'
    REMOVE other.liveKey
    CREATE (other)-[:BOUND_TO]->(entity)
    WITH active, other
    MATCH (other)-[link:HAS_EVIDENCE]->(evidence:Evidence)
    MERGE (active)-[taken:HAS_EVIDENCE]->(evidence)
      ON CREATE SET taken.associationConfidence = link.associationConfidence, taken.reasons = link.reasons,
        taken.takenFrom = other.runtimeId
    RETURN count(taken) AS taken
  }
  RETURN collect({active: active, each: each, opened: active.runtimeId = each.runtimeId}) AS bound
}
CALL (bound) {
  UNWIND $unbound AS each
  MATCH (active:ActiveEntity {runtimeId: each.runtimeId})
  WHERE active.state = 'ACTIVE' AND NOT active IN [one IN bound | one.active]
  RETURN collect({active: active, each: each, opened: false}) AS known
}
CALL (linked, known) {
  UNWIND [each IN $opened WHERE NOT each.unlessLinked OR linked = []] AS each
  MERGE (active:ActiveEntity {liveKey: each.liveKey})
    ON CREATE SET active.runtimeId = each.runtimeId, active.space = $space, active.conversation = $conversation,
      active.subject = each.subject, active.state = 'ACTIVE', active.createdAt = $at
  RETURN collect({active: active, each: each, opened: active.runtimeId = each.runtimeId}) AS new
}
WITH linked, bound + known + new AS chosen
CALL (linked, chosen) {
  UNWIND [id IN linked WHERE NOT id IN [one IN chosen | one.active.runtimeId]] AS runtimeId
  MATCH (active:ActiveEntity {runtimeId: runtimeId})
  RETURN collect({active: active, each: {confidence: 0.0, reasons: [], names: [], statements: []}, opened: false}) AS again
}
WITH chosen + again AS attached
WHERE attached <> []
MERGE (evidence:Evidence {space: $space, hash: $evidence.hash})
  ON CREATE SET evidence.uuid = $evidence.uuid, evidence.conversation = $conversation,
    evidence.content = $evidence.content, evidence.terms = $evidence.terms, evidence.source = $evidence.source,
    evidence.speaker = $evidence.speaker, evidence.firstAt = $at,
    evidence.embedding = toFloatList($evidence.embedding)
SET evidence.lastAt = CASE WHEN evidence.lastAt > $at THEN evidence.lastAt ELSE $at END
FOREACH (_ IN CASE WHEN evidence.rolledIn IS NULL THEN [1] ELSE [] END | SET evidence:LiveEvidence)
WITH evidence, attached
UNWIND attached AS one
WITH evidence, one.active AS active, one.each AS each, one.opened AS opened
MERGE (active)-[link:HAS_EVIDENCE]->(evidence)
  ON CREATE SET link.associationConfidence = each.confidence, link.reasons = each.reasons
SET active.lastConfidence = link.associationConfidence,
  active.lastMentionedAt = CASE WHEN active.lastMentionedAt > $at THEN active.lastMentionedAt ELSE $at END
CALL (active, each) {
  UNWIND each.names AS name
  MERGE (alias:Alias {space: $space, key: name.key})
    ON CREATE SET alias.looseKey = name.looseKey, alias.text = name.text
  MERGE (active)-[mention:MENTIONED_AS]->(alias)
    ON CREATE SET mention.text = name.text
}
CALL (active, each) {
  UNWIND each.statements AS touched
  MATCH (statement:Impression|Feature {uuid: touched.uuid})
  MERGE (active)-[projects:PROJECTS]->(statement)
  SET projects.score = touched.score, projects.at = $at
}
RETURN active.runtimeId AS runtimeId, each.entity AS entity, opened, link.associationConfidence AS confidence,
  COUNT { (active)-[:HAS_EVIDENCE]->(:LiveEvidence) } AS liveEvidence, evidence.uuid AS evidence,
  evidence.content AS content
ORDER BY confidence DESC, runtimeId
