// Statements of other entities that share words with a name, for a person to look through after a forgetting.
//
// Access: read
// Parameters:
//   space: name of the space
//   query: full-text query for the words of a name, all of them required
//   uuid: the entity itself
// Columns:
//   uuid: id of the statement
//   text: the statement
//   owner: subject of the entity it is of
CALL db.index.fulltext.queryNodes('memory_terms', $query) YIELD node
WHERE node.space = $space
MATCH (node)<-[:HAS_IMPRESSION|HAS_FEATURE]-(entity:Entity)
WHERE entity.uuid <> $uuid
RETURN node.uuid AS uuid, node.text AS text, entity.subject AS owner
