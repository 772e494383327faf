// What the audit knows of an entity and of those that were merged into it, before it is forgotten.
//
// Access: read
// Parameters:
//   uuid: the entity
// Columns:
//   uuids: the entity, and those merged into it, directly or not
//   subjects: what they were called when they were merged
//   changes: JSON of the changes of each step that changed one of them
CYPHER 25
MATCH (entity:Entity {uuid: $uuid})
CALL (entity) {
  OPTIONAL MATCH (gone:MergedEntity)-[:MERGED_INTO*1..100]->(entity)
  RETURN collect(gone) AS merged
}
CALL (entity, merged) {
  UNWIND [entity] + merged AS each
  MATCH (step:UpdateStep)-[:CHANGED]->(each)
  RETURN collect(DISTINCT step.changes) AS changes
}
RETURN [each IN [entity] + merged | each.uuid] AS uuids, [each IN merged | each.subject] AS subjects, changes
