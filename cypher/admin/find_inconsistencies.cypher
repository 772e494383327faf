// Look through the whole database for what must never be: read everything, so ask for it seldom.
//
// Access: read
// Columns:
//   code: what was found
//   found: how often
//   example: where, once
CYPHER 25
MATCH (s:Impression|Feature) WHERE NOT EXISTS { (s)<-[:HAS_IMPRESSION|HAS_FEATURE]-(:Entity) }
RETURN 'STATEMENT_WITHOUT_ENTITY' AS code, count(s) AS found, min(s.space + ' ' + s.uuid) AS example
UNION ALL
MATCH (s:Impression|Feature) WHERE s.embedding IS NULL
RETURN 'STATEMENT_WITHOUT_VECTOR' AS code, count(s) AS found, min(s.space + ' ' + s.uuid) AS example
UNION ALL
MATCH (e:Entity)-[edge:HAS_IMPRESSION|HAS_FEATURE]->(s)
WITH e, type(edge) AS kind, s.key AS key, count(*) AS times WHERE times > 1
RETURN 'STATEMENT_TWICE' AS code, count(*) AS found, min(e.space + ' ' + e.uuid) AS example
UNION ALL
MATCH (s:Impression|Feature) WHERE COUNT { (s)-[:SUPPORTED_BY]->(:Evidence) } > s.support
RETURN 'SUPPORT_TOO_SMALL' AS code, count(s) AS found, min(s.space + ' ' + s.uuid) AS example
UNION ALL
MATCH (e:Entity)-[r:RELATES_TO]->() UNWIND r.evidence AS uuid
WITH e, uuid WHERE NOT EXISTS { (:Evidence {uuid: uuid}) }
RETURN 'EVIDENCE_MISSING' AS code, count(*) AS found, min(e.space + ' ' + e.uuid) AS example
UNION ALL
MATCH (e:Entity) WHERE COUNT { (e)-[:KNOWN_AS {kind: 'SUBJECT'}]->(:Alias) } <> 1
RETURN 'NOT_ONE_SUBJECT' AS code, count(e) AS found, min(e.space + ' ' + e.uuid) AS example
UNION ALL
MATCH (e:Entity)<-[:BOUND_TO]-(a:ActiveEntity) WHERE a.liveKey IS NOT NULL
WITH e, a.conversation AS conversation, count(a) AS live WHERE live > 1
RETURN 'TWO_LIVE_ACTIVES' AS code, count(*) AS found, min(e.space + ' ' + e.uuid) AS example
UNION ALL
MATCH (a:ActiveEntity) WHERE (a.state = 'ACTIVE') <> (a.liveKey IS NOT NULL)
RETURN 'ACTIVE_STATE_UNCLEAR' AS code, count(a) AS found, min(a.space + ' ' + a.runtimeId) AS example
UNION ALL
MATCH (r:UpdateRun) WHERE r.status IN ['OBSERVING', 'CONFIRMED'] AND r.leaseUntil < datetime() - duration('PT2M')
RETURN 'RUN_ABANDONED' AS code, count(r) AS found, min(r.space + ' ' + r.runId) AS example
UNION ALL
MATCH (r:UpdateRun {status: 'APPLIED'}) WHERE NOT EXISTS { (r)-[:HAS_STEP]->(:UpdateStep) }
RETURN 'APPLIED_WITHOUT_STEPS' AS code, count(r) AS found, min(r.space + ' ' + r.runId) AS example
UNION ALL
MATCH (r:UpdateRun)-[:HAS_STEP]->(:UpdateStep) WHERE NOT r.status IN ['APPLIED', 'UNDONE']
RETURN 'STEPS_WITHOUT_APPLYING' AS code, count(DISTINCT r) AS found, min(r.space + ' ' + r.runId) AS example
