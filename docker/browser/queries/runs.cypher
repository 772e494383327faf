// The latest runs, what they observed and what they changed
// Set the space first:  :param space => 'default'
MATCH (run:UpdateRun {space: $space})
WITH run ORDER BY run.createdAt DESC LIMIT 20
OPTIONAL MATCH observed = (run)-[:OBSERVED]->(:Observation)
OPTIONAL MATCH changed = (run)-[:HAS_STEP]->(:UpdateStep)-[:CHANGED]->(:Entity)
RETURN run, observed, changed
