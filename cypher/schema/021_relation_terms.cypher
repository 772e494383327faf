// Full-text over the relations' names, analysed like everything else.
//
// Access: schema
CREATE FULLTEXT INDEX relation_terms IF NOT EXISTS
FOR ()-[relation:RELATES_TO]-() ON EACH [relation.terms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'unicode_whitespace', `fulltext.eventually_consistent`: false}}
