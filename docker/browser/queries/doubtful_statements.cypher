// Statements that are least sure, with the texts behind them
// Set the space first:  :param space => 'default'
MATCH (entity:Entity {space: $space})-[:HAS_IMPRESSION|HAS_FEATURE]->(statement)
WHERE statement.confidence < 0.6
OPTIONAL MATCH (statement)-[:SUPPORTED_BY]->(evidence:Evidence)
RETURN entity.subject, statement.text, statement.confidence, statement.support, collect(evidence.content) AS evidence
ORDER BY statement.confidence
LIMIT 100
