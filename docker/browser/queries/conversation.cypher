// What a conversation is about, with its evidence
// Set these first:  :param space => 'default'   and   :param conversation => 'default'
MATCH (active:ActiveEntity {space: $space, conversation: $conversation, state: 'ACTIVE'})
OPTIONAL MATCH bound = (active)-[:BOUND_TO]->(:Entity)
OPTIONAL MATCH said = (active)-[:HAS_EVIDENCE]->(:Evidence)
OPTIONAL MATCH touched = (active)-[:PROJECTS]->()
RETURN active, bound, said, touched
LIMIT 300
