// Vectors of statements, with the space as a filter inside the search. Dimensions come from the embedding model.
//
// Access: schema
// Parameters:
//   options: {indexConfig: {`vector.dimensions`: INTEGER, `vector.similarity_function`: 'cosine'}}
CYPHER 25
CREATE VECTOR INDEX statement_vectors IF NOT EXISTS
FOR (node:Impression|Feature) ON node.embedding WITH [node.space]
OPTIONS $options
