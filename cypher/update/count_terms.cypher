// Adjust in how many documents of a space each term occurs. The first counter, that of all documents, is locked before
// any other is touched: writers of a space queue there. A term that occurs nowhere any more is forgotten, word and all.
//
// Access: write
// Parameters:
//   space: name of the space
//   changes: [{key: token of the space and the term, by: INTEGER}], the bare token first, the others in order
WITH head($changes) AS all
MERGE (total:Term {key: all.key})
  ON CREATE SET total.space = $space, total.documents = 0
SET total.documents = total.documents + all.by
WITH total
UNWIND tail($changes) AS change
MERGE (term:Term {key: change.key})
  ON CREATE SET term.space = $space, term.documents = 0
SET term.documents = term.documents + change.by
WITH term WHERE term.documents < 1
DELETE term
