// Create entities, yet without their names.
//
// Access: write
// Parameters:
//   space: name of the space
//   at: now
//   entities: [{uuid, externalId, subject}]
UNWIND $entities AS new
CREATE (:Entity {
  uuid: new.uuid, space: $space, externalId: new.externalId, subject: new.subject,
  revision: 1, createdAt: $at, updatedAt: $at
})
