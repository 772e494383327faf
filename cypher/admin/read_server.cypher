// Read which Neo4j this is.
//
// Access: read
// Columns:
//   release: e.g. 2026.09.0
//   edition: community or enterprise
CALL dbms.components() YIELD name, versions, edition
WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS release, edition
