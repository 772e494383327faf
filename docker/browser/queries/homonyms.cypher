// Names that several entities bear
// Set the space first:  :param space => 'default'
MATCH (name:Alias {space: $space})<-[worn:KNOWN_AS]-(entity:Entity)
WITH name, collect({entity: entity, worn: worn}) AS bearers
WHERE size(bearers) > 1
UNWIND bearers AS bearer
RETURN name, bearer.worn AS worn, bearer.entity AS entity
LIMIT 300
