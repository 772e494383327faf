// Take the right to embed everything anew, unless somebody else holds it and that lease still runs, or a starting service
// holds the schema. From here on no service writes vectors: all of them look at `reindexModel` first. One with another
// target than the unfinished one begins anew.
//
// Access: write
// Parameters:
//   owner: a token of this run
//   seconds: how long the lease lasts unless it is renewed
//   model: the model to embed with
//   dimensions: the length of its vectors
// Columns:
//   taken: whether this run holds the lease now
//   starting: whether a starting service holds the schema
//   renewed: when the lease runs out that stands now, null where there is none
//   resumed: whether it goes on with what another run has begun
//   cursor: uuid of the last node that is done, empty at the beginning
//   seen: how many nodes are done
//   age: seconds since services were told to write no vectors
MATCH (meta:ServiceMeta {name: 'service'})
SET meta.asked = $owner
WITH meta, coalesce(meta.lockedUntil >= datetime(), false) AS starting,
  coalesce(meta.reindexUntil >= datetime(), false) AND meta.reindexOwner <> $owner AS held,
  coalesce(meta.reindexModel = $model AND meta.reindexDimensions = $dimensions, false) AS resumed
WITH meta, starting, resumed, NOT starting AND NOT held AS taken
FOREACH (_ IN CASE WHEN taken THEN [1] ELSE [] END |
  SET meta.reindexOwner = $owner, meta.reindexUntil = datetime() + duration({seconds: $seconds}),
    meta.reindexModel = $model, meta.reindexDimensions = $dimensions,
    meta.reindexSince = coalesce(meta.reindexSince, datetime()))
FOREACH (_ IN CASE WHEN taken AND NOT resumed THEN [1] ELSE [] END |
  SET meta.reindexCursor = '', meta.reindexSeen = 0)
REMOVE meta.asked
RETURN taken, starting, meta.reindexUntil AS renewed, resumed, meta.reindexCursor AS cursor, meta.reindexSeen AS seen,
  duration.inSeconds(meta.reindexSince, datetime()).seconds AS age
