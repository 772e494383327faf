// Full-text over live evidence; the token in front of its terms is that of its conversation. Rolled and expired
// evidence leaves the index with its label.
//
// Access: schema
CREATE FULLTEXT INDEX live_evidence_terms IF NOT EXISTS
FOR (evidence:LiveEvidence) ON EACH [evidence.terms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'unicode_whitespace', `fulltext.eventually_consistent`: false}}
