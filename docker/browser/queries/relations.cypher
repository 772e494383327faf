// Who is related to whom
// Set the space first:  :param space => 'default'
MATCH (from:Entity {space: $space})-[relation:RELATES_TO]->(to:Entity)
RETURN from, relation, to
ORDER BY relation.strength DESC
LIMIT 300
