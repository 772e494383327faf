// One evidence per distinct input and space.
//
// Access: schema
CREATE CONSTRAINT evidence_hash IF NOT EXISTS
FOR (evidence:Evidence) REQUIRE (evidence.space, evidence.hash) IS UNIQUE
