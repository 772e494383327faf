"""Bounds on a GraphQL document, checked after parsing and before anything walks it again.

Each fragment is measured once and its measure used at every spread, so the work is linear in the document however often
its fragments are spread; the counts are those of the document with all fragments written out. The specified validation
rules of graphql-core, some of them quadratic, only ever see a document that is within the bounds.

Refusals are GraphQL errors with `extensions.code`: `DOCUMENT_LIMIT`, `TOKEN_LIMIT`, `DEPTH_LIMIT`, `ALIAS_LIMIT`,
`FIELD_LIMIT`, `DIRECTIVE_LIMIT`, `INTROSPECTION_LIMIT`, `OPERATION_NAME_REQUIRED`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    parse,
)
from strawberry.extensions import SchemaExtension

from api.fragments import inner_first

# Root fields whose answer is the schema itself: finite, computed in memory, and nested deeper by the usual tools than
# any question about the memory needs to be.
_INTROSPECTION: Final = frozenset({"__schema", "__type"})


@dataclass(frozen=True, kw_only=True)
class QueryLimits:
    """The bounds themselves. What they count is counted through fragments, except where said."""

    max_characters: int = 100_000
    """Of the document, whatever they are: comments, commas and blanks are read before a token is counted."""
    max_tokens: int = 5_000
    """Lexical tokens of the document, comments included."""
    max_depth: int = 12
    """Fields inside one another, the root field being the first."""
    max_introspection_depth: int = 20
    """The same below the root fields `__schema` and `__type`; the standard introspection query needs 15."""
    max_aliases: int = 30
    max_fields: int = 1_000
    max_repeats: int = 100
    """Fragment spreads, and fields of one name in one selection, as written. Merging them is quadratic work."""
    max_introspections: int = 1
    """Fields `__schema` and `__type`: one tells everything there is to tell."""
    max_directives: int = 50
    """Directives in the document, as written."""


class _Spread(NamedTuple):
    fragment: str
    depth: int
    in_introspection: bool


@dataclass
class _Written:
    """What one operation or fragment says itself, without what its spreads bring in."""

    fields: int = 0
    aliases: int = 0
    repeats: int = 0
    directives: int = 0
    depth: int = 0
    introspection_depth: int = 0
    introspections: int = 0
    spreads: list[_Spread] = field(default_factory=list)


class _Measure(NamedTuple):
    """The same with all fragments written out, if the definition stands at the root of an operation."""

    fields: int
    aliases: int
    depth: int
    introspection_depth: int
    introspections: int


_NOTHING: Final = _Measure(0, 0, 0, 0, 0)


def check_document(
    document: DocumentNode, limits: QueryLimits, *, operation_name: str | None = None
) -> list[GraphQLError]:
    """Return every bound the document breaks; nothing is raised, also for fragments that are unknown or circular.

    Those two are for the specified rules to report: here they count for nothing.
    """
    operations = [d for d in document.definitions if isinstance(d, OperationDefinitionNode)]
    fragments = {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
    written = {name: _read(fragment) for name, fragment in fragments.items()}
    read_operations = [_read(operation) for operation in operations]
    everything = [*written.values(), *read_operations]

    errors = []
    if len(operations) > 1 and operation_name is None:
        message = f"{len(operations)} operations and no operationName to choose one"
        errors.append(_refusal("OPERATION_NAME_REQUIRED", message, operations[1]))
    if (directives := sum(each.directives for each in everything)) > limits.max_directives:
        message = f"{directives} directives, at most {limits.max_directives} are allowed"
        errors.append(_refusal("DIRECTIVE_LIMIT", message))
    if (repeats := sum(each.repeats for each in everything)) > limits.max_repeats:
        message = f"{repeats} repeated fields and fragment spreads, at most {limits.max_repeats} are allowed"
        errors.append(_refusal("FIELD_LIMIT", message))

    measures = _measure_fragments(written)
    for operation, own in zip(operations, read_operations, strict=True):
        errors.extend(_broken_bounds(operation, _add_spreads(own, measures), limits))
    return errors


def _broken_bounds(operation: OperationDefinitionNode, size: _Measure, limits: QueryLimits) -> Iterator[GraphQLError]:
    if size.depth > limits.max_depth:
        yield _refusal("DEPTH_LIMIT", f"{size.depth} levels, at most {limits.max_depth} are allowed", operation)
    if size.introspection_depth > limits.max_introspection_depth:
        levels = size.introspection_depth
        message = f"{levels} levels of introspection, at most {limits.max_introspection_depth} are allowed"
        yield _refusal("DEPTH_LIMIT", message, operation)
    if size.aliases > limits.max_aliases:
        yield _refusal("ALIAS_LIMIT", f"more than {limits.max_aliases} aliases", operation)
    if size.introspections > limits.max_introspections:
        message = f"more than {limits.max_introspections} of __schema and __type"
        yield _refusal("INTROSPECTION_LIMIT", message, operation)
    if size.fields > limits.max_fields:
        yield _refusal("FIELD_LIMIT", f"more than {limits.max_fields} fields", operation)


def _refusal(code: str, message: str, node: OperationDefinitionNode | None = None) -> GraphQLError:
    return GraphQLError(message, nodes=node, extensions={"code": code})


def _read(definition: OperationDefinitionNode | FragmentDefinitionNode) -> _Written:
    own = _Written(directives=len(definition.directives or ()))
    for variable in definition.variable_definitions or ():
        own.directives += len(variable.directives or ())
    names: set[str] = set()
    pending: list[tuple[SelectionSetNode, int, bool, set[str]]] = [(definition.selection_set, 0, False, names)]
    while pending:
        selection_set, depth, in_introspection, names = pending.pop()
        for selection in selection_set.selections:
            own.directives += len(selection.directives or ())
            if isinstance(selection, FieldNode):
                # By its real name: an alias or a fragment called __schema exempts nothing.
                in_schema = in_introspection or (depth == 0 and selection.name.value in _INTROSPECTION)
                _count_field(own, selection, depth=depth + 1, in_schema=in_schema, names=names)
                if selection.selection_set:
                    pending.append((selection.selection_set, depth + 1, in_schema, set()))
            elif isinstance(selection, FragmentSpreadNode):
                own.repeats += 1
                own.spreads.append(_Spread(selection.name.value, depth, in_introspection))
            elif isinstance(selection, InlineFragmentNode):
                pending.append((selection.selection_set, depth, in_introspection, names))
    return own


def _count_field(own: _Written, selection: FieldNode, *, depth: int, in_schema: bool, names: set[str]) -> None:
    own.fields += 1
    own.introspections += selection.name.value in _INTROSPECTION
    own.aliases += selection.alias is not None
    response_name = (selection.alias or selection.name).value
    own.repeats += response_name in names
    names.add(response_name)
    if in_schema:
        own.introspection_depth = max(own.introspection_depth, depth)
    else:
        own.depth = max(own.depth, depth)


def _measure_fragments(written: dict[str, _Written]) -> dict[str, _Measure]:
    measures: dict[str, _Measure] = {}
    for name in inner_first({name: [spread.fragment for spread in own.spreads] for name, own in written.items()}):
        measures[name] = _add_spreads(written[name], measures)
    return measures


def _add_spreads(own: _Written, measures: dict[str, _Measure]) -> _Measure:
    fields, aliases, introspections = own.fields, own.aliases, own.introspections
    depth, introspection_depth = own.depth, own.introspection_depth
    for spread in own.spreads:
        inner = measures.get(spread.fragment, _NOTHING)
        fields += inner.fields
        aliases += inner.aliases
        introspections += inner.introspections
        deepest = spread.depth + max(inner.depth, inner.introspection_depth)
        if spread.in_introspection:
            introspection_depth = max(introspection_depth, deepest)
        elif spread.depth > 0:
            depth = max(depth, deepest)
        else:
            depth = max(depth, inner.depth)
            introspection_depth = max(introspection_depth, inner.introspection_depth)
    return _Measure(fields, aliases, depth, introspection_depth, introspections)


_UNREAD: Final = parse("{ __typename }")
"""Stands for a document that is too long to be parsed; it is refused where documents are."""


class LimitQueries(SchemaExtension):
    """Refuse documents beyond the bounds. Hand Strawberry a factory: `lambda: LimitQueries(limits)`."""

    def __init__(self, limits: QueryLimits) -> None:
        super().__init__()
        self._limits = limits
        self._operation_name: str | None = None

    def on_operation(self) -> Iterator[None]:
        # As long as there is no document this is the name the caller gave; afterwards it may be the first operation's.
        self._operation_name = self.execution_context.operation_name
        self.execution_context.parse_options["max_tokens"] = self._limits.max_tokens
        yield

    def on_parse(self) -> Iterator[None]:
        if self._is_too_long():
            self.execution_context.graphql_document = _UNREAD
        yield
        aborted = f"Syntax Error: Document contains more than {self._limits.max_tokens} tokens. Parsing aborted."
        for error in self.execution_context.pre_execution_errors or ():
            if error.message == aborted:
                error.extensions = {"code": "TOKEN_LIMIT"}

    def _is_too_long(self) -> bool:
        return len(self.execution_context.query or "") > self._limits.max_characters

    def on_validate(self) -> Iterator[None]:
        document = self.execution_context.graphql_document
        if document is _UNREAD:
            most = self._limits.max_characters
            message = f"the document has more than {most} characters: hand in texts as variables"
            self.execution_context.pre_execution_errors = [_refusal("DOCUMENT_LIMIT", message)]
        elif document is not None and self.execution_context.pre_execution_errors is None:
            errors = check_document(document, self._limits, operation_name=self._operation_name)
            # Strawberry skips its own validation where an extension has already found errors.
            self.execution_context.pre_execution_errors = errors or None
        yield
