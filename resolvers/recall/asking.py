"""From a caller's words to the parameters of one query: the pure first half of a recall."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from graph.function_words import FIRST_PERSON, NOT_THIRD_PERSON, THIRD_PERSON
from graph.names import MAX_MARKS, cut_marks, fold, identity_key
from graph.ports import Vector
from graph.text import UNSPACED, WORD, folded_terms, lucene_query, scope_token, search_terms
from resolvers.recall.spans import NameCandidates, folded_candidates
from resolvers.recall.values import VectorPolicy

MAX_CLAUSES: Final = 1_000
"""Terms of one full-text query; the engine takes 1,024."""


_FIRST_PERSON_UNSPACED: Final = tuple(sorted(word for word in FIRST_PERSON if UNSPACED.match(word)))


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of the database one recall looks at."""

    texts: int = 50
    relations: int = 20
    evidence: int = 20
    vectors: int = 50
    near: int = 64
    bearers: int = 500
    named: int = 50

    @property
    def few_statements(self) -> int:
        """A space of no more is compared one by one: the index must never be asked for more than it holds.

        Twice the limit, so that what others delete meanwhile does not matter.
        """
        return 2 * self.vectors

    neighbours: int = 100
    actives: int = 500


@dataclass(frozen=True, slots=True)
class Question:
    """One checked request to recall."""

    text: str
    space: str
    conversation: str
    at: datetime
    speaker: str | None = None
    mentions: tuple[str, ...] = ()
    limit: int = 8
    vector: VectorPolicy = VectorPolicy.AUTO
    evidence_hash: str = ""
    """Hash of the evidence the text would become, to keep it from recalling itself."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What can be said of a text without the database."""

    question: Question
    candidates: NameCandidates
    terms: tuple[str, ...]
    """Content terms in order, with repetitions."""
    searched: tuple[str, ...]
    """The distinct terms that are searched for."""
    first_person: bool
    third_person: bool
    named: dict[str, str]
    """The caller's mentions, and the speaker where first-person words stand for it: identity key to name."""
    space_token: str
    conversation_token: str
    marks: int = 0
    """Length of the longest run of combining marks that was cut for comparing, 0 where none was."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be left out."""
        notes = [marks_note(self.marks)] if self.marks else []
        if self.candidates.left_out:
            notes.append(
                f"the text is long: its {len(self.candidates.spans)} shortest word sequences were looked up as names, "
                f"{self.candidates.left_out} longer ones were not"
            )
        if (distinct := len(dict.fromkeys(self.terms))) > len(self.searched):
            notes.append(f"the text is long: {MAX_CLAUSES} of its {distinct} different words were searched for")
        return tuple(notes)


def marks_note(marks: int, where: str = "") -> str:
    """Say that not every combining mark of a text was compared."""
    return f"a run of {marks} combining marks{where} was cut to {MAX_MARKS} for comparing"


def read(question: Question, folded: str | None = None) -> Reading:
    """Analyse a text; `folded` is given by who has folded it already."""
    folded = fold(question.text) if folded is None else folded
    terms = folded_terms(folded)
    candidates = folded_candidates(folded)
    first_person = _has_first_person(candidates.folded)
    names = [*question.mentions, *([question.speaker] if question.speaker and first_person else [])]
    return Reading(
        question=question,
        candidates=candidates,
        terms=terms,
        searched=tuple(dict.fromkeys(terms))[:MAX_CLAUSES],
        first_person=first_person,
        third_person=_has_third_person(candidates.folded),
        named={identity_key(name): name for name in reversed(names)},
        space_token=scope_token(question.space),
        conversation_token=scope_token(question.space, question.conversation),
        marks=cut_marks(question.text),
    )


def parameters(reading: Reading, vector: Vector | None, limits: Limits, time_to_live: timedelta) -> dict[str, object]:
    """Return the parameters of `recall/collect_signals`."""
    question = reading.question
    memory = lucene_query(reading.searched, reading.space_token)
    evidence = lucene_query(reading.searched, reading.conversation_token)
    related = list(reading.candidates.spans)
    return {
        "space": question.space,
        "conversation": question.conversation,
        "nameKeys": list(dict.fromkeys([*reading.named, *related])),
        "relatedKeys": related,
        "termKeys": [reading.space_token, *(reading.space_token + term for term in reading.searched)],
        "memoryQueries": [memory] if memory else [],
        "evidenceQueries": [evidence] if evidence else [],
        "vectors": [list(vector)] if vector else [],
        "hash": question.evidence_hash,
        "aliveSince": question.at - time_to_live,
        "textLimit": limits.texts,
        "relationLimit": limits.relations,
        "evidenceLimit": limits.evidence,
        "vectorLimit": limits.vectors,
        "fewStatements": limits.few_statements,
        "nearLimit": limits.near,
        "bearerLimit": limits.bearers,
        "namedLimit": limits.named,
        "neighbourLimit": limits.neighbours,
        "activeLimit": limits.actives,
    }


def _has_first_person(folded: str) -> bool:
    return any(
        any(pronoun in word for pronoun in _FIRST_PERSON_UNSPACED) if UNSPACED.match(word) else word in FIRST_PERSON
        for word in WORD.findall(folded)
    )


def _has_third_person(folded: str) -> bool:
    for word in NOT_THIRD_PERSON:
        folded = folded.replace(word, " ")
    return any(
        any(character in THIRD_PERSON for character in word) if UNSPACED.match(word) else word in THIRD_PERSON
        for word in WORD.findall(folded)
    )


def covers(terms: Sequence[str], names: Sequence[str]) -> bool:
    """Tell whether the content words of a text are all part of these names."""
    return set(terms) <= {term for name in names for term in search_terms(name)}
