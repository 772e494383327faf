// Read what the database was made with.
//
// Access: read
// Columns:
//   schemaVersion: the version that stands
//   embeddingModel: the model behind the stored vectors
//   dimensions: the length of the stored vectors
MATCH (meta:ServiceMeta {name: 'service'})
RETURN meta.schemaVersion AS schemaVersion, meta.embeddingModel AS embeddingModel, meta.dimensions AS dimensions
