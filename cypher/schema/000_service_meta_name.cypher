// The one record of what this database was made with; also what two starting services lock.
//
// Access: schema
CREATE CONSTRAINT service_meta_name IF NOT EXISTS
FOR (meta:ServiceMeta) REQUIRE meta.name IS UNIQUE
