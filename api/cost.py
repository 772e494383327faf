"""What a document may cost, told before it runs: how many values its answer has at most.

A field costs as often as it is answered: the product of the sizes of all lists above it (see `api.sizes`). What is read
from the database costs more than what is at hand. Each fragment is measured once, for whatever page it is spread in, so
the work is linear in the document; nothing is recursive.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLCompositeType,
    GraphQLError,
    GraphQLField,
    GraphQLNamedType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    ListValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_composite_type,
    is_list_type,
)
from strawberry.extensions import SchemaExtension

from api.fragments import inner_first
from api.inputs import check_inputs
from api.sizes import PAGE, SIZE, Size

BUDGET: Final = 250_000
"""Values of one answer at most. What costs as much takes one to two seconds of one core, most of it in graphql-core,
and as much memory as a few hundred thousand Python objects."""
READ_COST: Final = 6
"""What is read from the database costs so many values besides its own: each time something is asked for, and each item
of a list that comes, whose row is sent, decoded and made a value."""

_LONGEST_NUMBER: Final = 20
"""Digits. A longer one is no Int; it is refused elsewhere."""
_ONE: Final = Size(1)


class Variables(NamedTuple):
    """What the variables of an operation stand for, as they were sent."""

    given: Mapping[str, Any]
    defaults: Mapping[str, ValueNode]


class Cost(NamedTuple):
    """Of a selection set, each time it is answered."""

    alone: int = 0
    for_each: int = 0
    """Besides, for each item of the page that it stands in."""


class _Spread(NamedTuple):
    part: int
    fragment: str


class _Part(NamedTuple):
    """A selection set, its place in its definition, and how often the set above answers it."""

    above: int
    factor: int
    """Items of a list, or 1."""
    read: int
    """What each costs besides its fields."""
    page: int
    """Size of the page that the field opens; 0 for none."""
    in_page: bool
    """Whether it is answered for each item of the page above, beside `factor`."""


@dataclass
class _Written:
    """The selection sets of one operation or fragment, outer ones first, and what their own leaves cost."""

    parts: list[_Part] = field(default_factory=list)
    costs: list[list[int]] = field(default_factory=list)
    spreads: list[_Spread] = field(default_factory=list)

    def add(self, part: _Part) -> int:
        self.parts.append(part)
        self.costs.append([0, 0])
        return len(self.parts) - 1


_ROOT: Final = _Part(above=-1, factor=1, read=0, page=0, in_page=False)


def cost_of(
    schema: GraphQLSchema,
    document: DocumentNode,
    variables: Mapping[str, Any] | None = None,
    operation_name: str | None = None,
) -> int:
    """Return how many values the answer to a valid document has at most.

    Args:
        schema: states the sizes of its lists in the metadata of Strawberry's fields.
        document: as it passed validation; what is unknown in it counts as little as it can.
        variables: as they were sent, before they are coerced.
        operation_name: which operation runs, of several.
    """
    operation = next(
        each
        for each in document.definitions
        if isinstance(each, OperationDefinitionNode)
        and operation_name in {None, each.name.value if each.name else None}
    )
    defaults = {
        each.variable.name.value: each.default_value
        for each in operation.variable_definitions or ()
        if each.default_value is not None
    }
    known = Variables(variables or {}, defaults)
    sizes = _Sizes(schema, known)
    fragments = {
        each.name.value: sizes.read(each) for each in document.definitions if isinstance(each, FragmentDefinitionNode)
    }
    return _sum(sizes.read(operation), _measure(fragments)).alone


class _Sizes:
    """Reads definitions of a document against a schema."""

    def __init__(self, schema: GraphQLSchema, variables: Variables) -> None:
        self._schema = schema
        self._variables = variables
        self._introspection = _introspection_sizes(schema)

    def read(self, definition: OperationDefinitionNode | FragmentDefinitionNode) -> _Written:
        written = _Written()
        if isinstance(definition, OperationDefinitionNode):
            root: GraphQLNamedType | None = self._schema.get_root_type(definition.operation)
        else:
            root = self._schema.get_type(definition.type_condition.name.value)
        pending = [(definition.selection_set, root, written.add(_ROOT))]
        while pending:
            selection_set, parent, part = pending.pop()
            for selection in selection_set.selections:
                if isinstance(selection, FieldNode):
                    pending += self._field(written, selection, parent, part)
                elif isinstance(selection, FragmentSpreadNode):
                    written.spreads.append(_Spread(part, selection.name.value))
                elif isinstance(selection, InlineFragmentNode):
                    condition = selection.type_condition
                    kind = self._schema.get_type(condition.name.value) if condition else parent
                    pending.append((selection.selection_set, kind, part))
        return written

    def _field(
        self, written: _Written, node: FieldNode, parent: GraphQLNamedType | None, part: int
    ) -> Iterator[tuple[SelectionSetNode, GraphQLNamedType, int]]:
        found = self._definition(node, parent)
        written.costs[part][0] += 1
        if parent is None or found is None:
            return
        read = READ_COST if _is_read(found) else 0
        written.costs[part][0] += read
        size = self._size(node, parent, found)
        of_page = size is None
        factor = 1 if size is None else self._asked(size, node, found)
        kind = get_named_type(found.type)
        if node.selection_set is None or not is_composite_type(kind):
            if is_list_type(get_nullable_type(found.type)):
                written.costs[part][of_page] += factor
            return
        paged = _metadata(found).get(PAGE)
        below = _Part(
            above=part,
            factor=factor,
            read=read if is_list_type(get_nullable_type(found.type)) else 0,
            page=self._asked(paged, node, found) if paged else 0,
            in_page=of_page,
        )
        yield node.selection_set, kind, written.add(below)

    def _definition(self, node: FieldNode, parent: GraphQLNamedType | None) -> GraphQLField | None:
        if parent is None or not is_composite_type(parent):
            return None
        composite: GraphQLCompositeType = parent
        return self._schema.get_field(composite, node.name.value)

    def _size(self, node: FieldNode, parent: GraphQLNamedType, found: GraphQLField) -> Size | None:
        """Return the size of a list; None for that of the page above, one for what is no list."""
        if not is_list_type(get_nullable_type(found.type)):
            return _ONE
        if (stated := self._introspection.get((parent.name, node.name.value))) is not None:
            return Size(stated)
        stated_there: Size | None = _metadata(found)[SIZE]
        return stated_there

    def _asked(self, size: Size, node: FieldNode, found: GraphQLField) -> int:
        """Return a size as the arguments have it: the largest where they do not say, or say what will be refused."""
        if size.argument is None:
            return size.most
        given = next((each.value for each in node.arguments or () if each.name.value == size.argument), None)
        asked = _number(given, self._variables) if given is not None else None
        if given is None or (asked is None and isinstance(given, VariableNode) and self._is_left_out(given)):
            default = found.args[size.argument].default_value if size.argument in found.args else None
            asked = default if isinstance(default, int) else None
        return size.most if asked is None else max(0, min(asked, size.most))

    def _is_left_out(self, variable: VariableNode) -> bool:
        name = variable.name.value
        return name not in self._variables.given and name not in self._variables.defaults


def _number(value: ValueNode, variables: Variables) -> int | None:
    """Return the number, or the length of the list, that a value of the document is; None for anything else."""
    if isinstance(value, VariableNode):
        name = value.name.value
        if name in variables.given:
            return _number_sent(variables.given[name])
        default = variables.defaults.get(name)
        return None if default is None or isinstance(default, VariableNode) else _number(default, variables)
    if isinstance(value, ListValueNode):
        return len(value.values)
    if isinstance(value, IntValueNode) and len(value.value) <= _LONGEST_NUMBER:
        return int(value.value)
    return None


def _number_sent(value: Any) -> int | None:
    if isinstance(value, list):
        return len(value)
    if isinstance(value, dict):
        return 1  # what stands in place of a list is a list of one
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return int(value) if is_whole and not isinstance(value, bool) else None


def _metadata(found: GraphQLField) -> Mapping[Any, Any]:
    definition = found.extensions.get("strawberry-definition")
    return definition.metadata if definition else {}


def _is_read(found: GraphQLField) -> bool:
    """Tell whether a field is answered by a resolver that waits: for the database, all of them."""
    definition = found.extensions.get("strawberry-definition")
    return definition is not None and definition.base_resolver is not None and definition.base_resolver.is_async


def _introspection_sizes(schema: GraphQLSchema) -> Mapping[tuple[str, str], int]:
    """Return the sizes of the lists of introspection: how many types there are, and for each what is usual."""
    return {
        ("__Schema", "types"): len(schema.type_map),
        ("__Schema", "directives"): len(schema.directives),
        ("__Type", "fields"): 8,
        ("__Type", "inputFields"): 8,
        ("__Type", "enumValues"): 8,
        ("__Type", "interfaces"): 1,
        ("__Type", "possibleTypes"): 8,
        ("__Field", "args"): 2,
        ("__Directive", "args"): 2,
        ("__Directive", "locations"): 8,
    }


def _measure(written: Mapping[str, _Written]) -> dict[str, Cost]:
    costs: dict[str, Cost] = {}
    for name in inner_first({name: [spread.fragment for spread in own.spreads] for name, own in written.items()}):
        costs[name] = _sum(written[name], costs)
    return costs


def _sum(written: _Written, fragments: Mapping[str, Cost]) -> Cost:
    costs = [[*cost] for cost in written.costs]
    for spread in written.spreads:
        inner = fragments.get(spread.fragment, Cost())
        costs[spread.part][0] += inner.alone
        costs[spread.part][1] += inner.for_each
    # Inner ones stand behind outer ones.
    for (alone, for_each), part in zip(reversed(costs), reversed(written.parts), strict=True):
        if part.above >= 0:
            each = part.read + alone + part.page * for_each
            costs[part.above][part.in_page] += part.factor * each
    return Cost(*costs[0])


class BoundCost(SchemaExtension):
    """Refuse what is too large before it runs, with `INPUT_LIMIT` and `COST_LIMIT`: a valid document, its variables."""

    def on_execute(self) -> Iterator[None]:
        context = self.execution_context
        check_inputs(context.variables or {})
        schema, document = context.schema, context.graphql_document
        if document is None:
            raise TypeError("an operation is executed without a document")
        cost = cost_of(schema._schema, document, context.variables, context.operation_name)  # noqa: SLF001 -- Strawberry shows it nowhere else
        if cost > BUDGET:
            raise beyond_budget(
                f"the answer may have {cost} values, at most {BUDGET} are given: "
                "ask for fewer at a time (first, limit), or for fewer lists inside lists",
                cost=cost,
            )
        yield


def beyond_budget(message: str, **more: int) -> GraphQLError:
    """Return the error of what is asked, or was found, to be more than is answered."""
    return GraphQLError(message, extensions={"code": "COST_LIMIT", "budget": BUDGET, **more})
