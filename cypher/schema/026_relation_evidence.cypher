// Finds the relations that name an evidence: each uuid of the list is a term.
//
// Access: schema
CREATE FULLTEXT INDEX relation_evidence IF NOT EXISTS
FOR ()-[relation:RELATES_TO]-() ON EACH [relation.evidence]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'keyword', `fulltext.eventually_consistent`: false}}
