// Drop the vector index: vectors of another length do not fit it, and one that holds two models' vectors misleads.
//
// Access: schema
DROP INDEX statement_vectors IF EXISTS
