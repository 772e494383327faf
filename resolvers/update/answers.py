"""Reads what a language model answered: the JSON among its words, in the shape of a plan, within a plan's bounds.

Pure. Only what has one meaning is put right: a bare list, another name around the list, keys written in another case,
absent lists. What exceeds a bound is cut and told of, for a model that is asked again would choose in silence what to
leave out. Everything else is left as it is, for the plan's validation to refuse.
"""

import json
import re
from typing import Any, Final

from resolvers.update.observed import ImpressionObservationPlan, PlanStatus
from resolvers.update.observer_port import Cut, CutCode

_MOST_CHARACTERS: Final = 512 * 1024
_MOST_FALSE_STARTS: Final = 200
"""Brackets in prose that open no JSON; each is tried once, so that the search stays linear in practice."""

_END_OF_THOUGHT: Final = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_LIKE_JSON: Final = re.compile(r"""\{\s*["']|\{\s*\w+\s*:|\[\s*[{\["']""")
_FENCE: Final = re.compile(r"```[\w-]*")
_BLANKS: Final = re.compile(r"\s*")

_SUBJECT: Final = "proposedSubject"
_OTHER_SUBJECTS: Final = frozenset({"subject", "entity", "entityname", "name"})
_OBSERVATIONS: Final = "observations"
_REASON: Final = "reason"
_SCHEMA: Final = ImpressionObservationPlan.model_json_schema()

_ABSENT: Final[dict[str, str]] = {_REASON: "", "evidence": ""}
"""A comment may be missing; a patch without a quote is dropped later, by itself and with its reason."""

_SHOWN: Final = 200


class SchemaEchoed(ValueError):
    """The model sent the schema back instead of something that follows it."""

    def __init__(self) -> None:
        super().__init__("this is the schema itself; answer with an object that follows it")


def json_in(text: str) -> str:
    """Return the JSON in an answer, without thoughts, code fences and prose.

    Where there is none, where it breaks off, or where several plans differ, the text itself: a part that happens to be
    readable must not pass for the whole.
    """
    rest = _without_fence(_without_thoughts(text.strip("\ufeff \t\r\n")))
    if len(rest) > _MOST_CHARACTERS or _is_json(rest):
        return rest
    plans = {span: shaped for span in _spans(rest) if (shaped := _plan_in(span)) is not None}
    full = [span for span, shaped in plans.items() if shaped.get(_OBSERVATIONS)]
    candidates = full or list(plans)
    return candidates[0] if len(candidates) == 1 else rest


def _without_thoughts(text: str) -> str:
    at = 0
    while text[at : at + 1] not in {"{", "[", "`"} and (end := _END_OF_THOUGHT.search(text, at)):
        at = end.end()
        if blanks := _BLANKS.match(text, at):
            at = blanks.end()
    return text[at:]


def _without_fence(text: str) -> str:
    opening = _FENCE.match(text)
    # By hand: a pattern for both ends would look at every blank from every other one.
    return text[opening.end() :].strip().removesuffix("```").rstrip() if opening else text


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _spans(text: str) -> list[str]:
    """Return every JSON object and list that stands in prose; none if one of them is broken."""
    decoder = json.JSONDecoder()
    found = []
    at = 0
    for _ in range(_MOST_FALSE_STARTS):
        start = min((index for index in (text.find("{", at), text.find("[", at)) if index >= 0), default=-1)
        if start < 0:
            break
        try:
            _, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            if _LIKE_JSON.match(text, start):
                return []
            at = start + 1
        else:
            found.append(text[start:at])
    return found


def _plan_in(span: str) -> dict[str, Any] | None:
    value = json.loads(span)
    try:
        return plan_shaped(value) if value else None  # [] and {} in prose are no answer
    except SchemaEchoed:
        return None


def plan_shaped(value: object) -> dict[str, Any] | None:
    """Return a value as an object with a list of observations, or None where it is none, or might be several.

    Raises:
        SchemaEchoed: it is the schema.
    """
    if isinstance(value, list):
        return {_OBSERVATIONS: value} if all(map(_is_observation, value)) else None
    if not isinstance(value, dict):
        return None
    keyed = _with_keys_of(_SCHEMA, value)
    if _is_schema(keyed):
        raise SchemaEchoed
    if _OBSERVATIONS in keyed or str(keyed.get("status")).upper() == PlanStatus.REJECTED:
        return keyed
    if _is_observation(value):
        return {_OBSERVATIONS: [value]}
    within = [
        each
        for each in value.values()
        if (isinstance(each, list) and each and all(map(_is_observation, each)))
        or (isinstance(each, dict) and isinstance(_with_keys_of(_SCHEMA, each).get(_OBSERVATIONS), list))
    ]
    if len(within) != 1:
        return None
    return plan_shaped(within[0])


def _is_schema(keyed: dict[str, Any]) -> bool:
    observations, described = keyed.get(_OBSERVATIONS), keyed.get("properties")
    if isinstance(observations, dict):
        return bool({"type", "items", "$ref"} & observations.keys())
    if isinstance(observations, list):
        return False
    if isinstance(described, dict):  # where some models put what they have to say
        return not isinstance(described.get(_OBSERVATIONS), list)
    return "$defs" in keyed


def _is_observation(value: object) -> bool:
    return isinstance(value, dict) and isinstance(_with_subject(value).get(_SUBJECT), str)


def _with_subject(observation: dict[str, Any]) -> dict[str, Any]:
    keyed = _with_keys_of(_OBSERVATION_SCHEMA, observation)
    if _SUBJECT in keyed:
        return keyed
    others = [key for key in keyed if _plain(key) in _OTHER_SUBJECTS]
    if len(others) != 1:
        return keyed
    return {_SUBJECT if key == others[0] else key: value for key, value in keyed.items()}


def _with_keys_of(schema: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """Write keys as the schema does: `proposed_subject` means `proposedSubject`; one that is there as such wins."""
    known = {_plain(name): name for name in schema["properties"]}
    keyed: dict[str, Any] = {}
    for key, each in value.items():
        name = known.get(_plain(key), key)
        if name == key or name not in value:
            keyed[name] = each
    return keyed


def _plain(key: str) -> str:
    return re.sub(r"[^0-9a-z]", "", key.lower())


_OBSERVATION_SCHEMA: Final[dict[str, Any]] = _SCHEMA["$defs"]["ImpressionEntityObservation"]


def within_bounds(plan: dict[str, Any]) -> tuple[dict[str, Any], tuple[Cut, ...]]:
    """Return a plan without what exceeds its bounds, and what that was."""
    fitting = _Fitting()
    plan = {"status": PlanStatus.PREPARED if plan.get(_OBSERVATIONS) else PlanStatus.REJECTED, **plan}
    return fitting.fit_object(plan, _SCHEMA, ""), tuple(fitting.cuts)


class _TooLong(Exception):
    def __init__(self, text: str, limit: int, path: str) -> None:
        self.text = text[:_SHOWN]
        self.path = path
        self.fault = f"{path}: {len(text)} characters, {limit} are the most"

    def cut(self, consequence: str) -> Cut:
        return Cut(CutCode.TOO_LONG, self.path, 1, self.text, f"{self.fault}; {consequence}: {self.text}…")


class _Fitting:
    """Walks a value along the schema; what is neither too long nor too many passes through untouched."""

    def __init__(self) -> None:
        self.cuts: list[Cut] = []

    def fit(self, value: object, schema: dict[str, Any], path: str) -> object:
        while "$ref" in schema:
            schema = _SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
        match schema.get("type"), value:
            case "array", None:
                return []
            case "array", list():
                return self._fit_list(value, schema, path)
            case "array", dict() | str():  # one thing where a list of them is meant
                return self._fit_list([value] if value else [], schema, path)
            case "object", dict():
                return self.fit_object(value, schema, path)
            case "string", str() if value.upper() in schema.get("enum", ()):
                return value.upper()
            case "string", str() if len(value) > (limit := schema.get("maxLength", len(value))):
                raise _TooLong(value, limit, path)
        return value

    def _fit_list(self, values: list[Any], schema: dict[str, Any], path: str) -> list[Any]:
        fitted = []
        for index, each in enumerate(values):
            try:
                fitted.append(self.fit(each, schema["items"], f"{path}.{index}"))
            except _TooLong as too_long:
                self.cuts.append(too_long.cut(f"left out {path}.{index}"))
        most = schema.get("maxItems", len(fitted))
        if surplus := fitted[most:]:
            text = "; ".join(map(_words_of, surplus))[:_SHOWN]
            message = f"{path}: {len(fitted)} items, {most} are the most; left out: {text}"
            self.cuts.append(Cut(CutCode.TOO_MANY, path, len(surplus), text, message))
        return fitted[:most]

    def fit_object(self, value: dict[str, Any], schema: dict[str, Any], path: str) -> dict[str, Any]:
        keyed = _with_subject(value) if schema is _OBSERVATION_SCHEMA else _with_keys_of(schema, value)
        fitted = dict(keyed)
        for name, of_field in schema["properties"].items():
            below = f"{path}.{name}".lstrip(".")
            if keyed.get(name) is None and name in _ABSENT:
                fitted[name] = _ABSENT[name]
            elif name in keyed or of_field.get("type") == "array":
                fitted[name] = self._fit_field(keyed.get(name), of_field, below, comment=name == _REASON)
        return fitted

    def _fit_field(self, value: object, schema: dict[str, Any], path: str, *, comment: bool) -> object:
        try:
            return self.fit(value, schema, path)
        except _TooLong as too_long:
            if not comment or not isinstance(value, str):
                raise  # a statement cut in the middle would say something else
            self.cuts.append(too_long.cut("shortened"))
            return value[: schema["maxLength"] - 1] + "…"


def _words_of(value: object) -> str:
    if not isinstance(value, dict):
        return str(value)
    return str(value.get(_SUBJECT) or next((each for each in value.values() if isinstance(each, str)), ""))
