// Active entities of any space and conversation whose time-to-live has run out, for the service's housekeeping.
//
// Access: read
// Parameters:
//   aliveSince: those mentioned before are overdue
//   limit: how many at most
// Columns:
//   runtimeId: an overdue active entity
MATCH (active:ActiveEntity)
WHERE active.state = 'ACTIVE' AND active.lastMentionedAt <= $aliveSince
RETURN active.runtimeId AS runtimeId
ORDER BY active.lastMentionedAt
LIMIT $limit
