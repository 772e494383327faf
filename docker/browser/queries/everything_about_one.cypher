// Everything about one entity, by any of its names
// Set these first:  :param space => 'default'   and   :param name => 'Sherlock'
MATCH (:Alias {space: $space, text: $name})<-[:KNOWN_AS]-(entity:Entity)
MATCH path = (entity)-[:KNOWN_AS|HAS_IMPRESSION|HAS_FEATURE|RELATES_TO]-()
RETURN path
LIMIT 300
