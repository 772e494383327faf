// Make sure that names exist, and lock each until the transaction ends: MERGE alone locks nothing that was there
// before, so two writers could both find that nobody is called so. Terms come with the first bearer, see add_names.
//
// Access: write
// Parameters:
//   space: name of the space
//   names: [{key, looseKey, text}] in order of their keys, so that writers cannot block each other crosswise
UNWIND $names AS name
MERGE (alias:Alias {space: $space, key: name.key})
  ON CREATE SET alias.looseKey = name.looseKey, alias.text = name.text
SET alias.lock = 'import'
REMOVE alias.lock
