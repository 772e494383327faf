// Statements that were replaced or removed, kept for undo
// Set the space first:  :param space => 'default'
MATCH (old:Superseded {space: $space})
OPTIONAL MATCH (entity:Entity {uuid: old.entity})
RETURN entity.subject, old.text, old.confidence, old.updatedAt
ORDER BY old.updatedAt DESC
LIMIT 100
