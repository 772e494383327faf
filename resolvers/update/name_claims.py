"""Whether the names a plan gives are free: known to nobody else, and given to one entity only."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graph.names import identity_key
from resolvers.update.seen import KnownBearer
from resolvers.update.steps import AddAlias, CreateEntityStep, MergeStep, Rename, UpdatePlan, Violation
from resolvers.update.violations import ViolationCode, violation


@dataclass(frozen=True, slots=True)
class _Claim:
    """A name that an entity of the plan is to get."""

    key: str
    name: str
    path: str
    entity: str
    """Its uuid; of a new one the place of its step."""
    is_new_subject: bool
    may_be_homonym: bool


def name_violations(plan: UpdatePlan, owners: Mapping[str, tuple[KnownBearer, ...]]) -> Iterator[Violation]:
    """Yield the names that are taken. A name an entity has already is no violation, nor a new one's own subject again.

    A homonym that a person allowed may be called like somebody known. Within one plan, two new entities of one subject
    are always refused: nothing could tell which of them a relation means.

    Args:
        plan: the plan.
        owners: of the names it gives, by identity key.
    """
    claims = list(_claims(plan))
    by_key: dict[str, list[_Claim]] = {}
    for claim in claims:
        by_key.setdefault(claim.key, []).append(claim)
    for claim in claims:
        others = [bearer for bearer in owners.get(claim.key, ()) if bearer.uuid != claim.entity]
        if others and not claim.may_be_homonym:
            listed = ", ".join(f"{bearer.subject!r} ({bearer.uuid})" for bearer in others)
            yield violation(ViolationCode.NAME_TAKEN, claim.path, f"{claim.name!r} is a name of {listed}")
        rivals = [each for each in by_key[claim.key] if each.entity != claim.entity]
        if any(claim.is_new_subject and each.is_new_subject for each in rivals) or (
            rivals and not claim.may_be_homonym
        ):
            message = f"the plan gives {claim.name!r} to another entity too, at {rivals[0].path}"
            yield violation(ViolationCode.NAME_TWICE, claim.path, message)


def _claims(plan: UpdatePlan) -> Iterator[_Claim]:
    for place, step in enumerate(plan.steps):
        if isinstance(step, MergeStep):
            continue
        path = f"steps.{place}"
        entity = path
        if isinstance(step, CreateEntityStep):
            yield from _claim(step.subject, f"{path}.subject", entity, homonym=step.allow_homonym, new_subject=True)
        else:
            entity = step.entity_uuid
        for number, patch in enumerate(step.patches):
            at = f"{path}.patches.{number}"
            if isinstance(patch, AddAlias):
                yield from _claim(patch.alias, f"{at}.alias", entity, homonym=patch.allow_homonym)
            elif isinstance(patch, Rename):
                yield from _claim(patch.subject, f"{at}.subject", entity, homonym=patch.allow_homonym)


def _claim(name: str, path: str, entity: str, *, homonym: bool, new_subject: bool = False) -> Iterator[_Claim]:
    if key := identity_key(name):
        yield _Claim(key, name, path, entity, is_new_subject=new_subject, may_be_homonym=homonym)
