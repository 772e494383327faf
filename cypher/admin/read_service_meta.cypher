// Read what the database was made with, and what a reindex that is not finished makes of it.
//
// Access: read
// Columns:
//   schemaVersion: the version that stands
//   embeddingModel: the model behind the stored vectors
//   dimensions: the length of the stored vectors
//   reindexModel: the model whose vectors are to take their place, null where no reindex is under way
//   reindexDimensions: the length of those
MATCH (meta:ServiceMeta {name: 'service'})
RETURN meta.schemaVersion AS schemaVersion, meta.embeddingModel AS embeddingModel, meta.dimensions AS dimensions,
  meta.reindexModel AS reindexModel, meta.reindexDimensions AS reindexDimensions
