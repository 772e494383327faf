// Full-text over names and statements. Terms come analysed from graph/text.py, each behind the token of its space, so
// the analyser only splits at blanks and a search cannot leave its space.
//
// Access: schema
CREATE FULLTEXT INDEX memory_terms IF NOT EXISTS
FOR (node:Alias|Impression|Feature) ON EACH [node.terms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'unicode_whitespace', `fulltext.eventually_consistent`: false}}
