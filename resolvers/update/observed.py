"""What an LLM, or an agent that is one, hands in: bounded in every list and string, with no field for an identity.

The same models are the schema the LLM is held to and the checked form of `submitObservations`. Nothing in them names a
stored thing: no uuid in, no uuid out.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MOST_OBSERVATIONS = 64
"""Observations of one plan: a batch shows eight active entities, each of which may bring some neighbours."""
MOST_ALIASES = 8
MOST_PATCHES = 12
"""Impressions, features and relations, of each, that are said of one subject at once."""

Name = Annotated[str, StringConstraints(max_length=200)]
Text = Annotated[str, StringConstraints(max_length=600)]
Quote = Annotated[str, StringConstraints(max_length=600)]
Label = Annotated[str, StringConstraints(max_length=200)]
Sureness = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class PlanStatus(StrEnum):
    """Whether the observer had something to say."""

    PREPARED = "PREPARED"
    REJECTED = "REJECTED"


class _Observed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ImpressionPatch(_Observed):
    """A subjective, changeable statement about the subject, with the quote that supports it."""

    text: Text
    evidence: Quote
    confidence: Sureness


class FeaturePatch(_Observed):
    """A stable, factual statement about the subject, with the quote that supports it."""

    text: Text
    evidence: Quote
    confidence: Sureness


class RelationPatch(_Observed):
    """The subject's `relation` is `target`, with the quote that supports it."""

    target: Name
    relation: Annotated[str, StringConstraints(max_length=100)]
    evidence: Quote
    strength: Sureness


class ImpressionEntityObservation(_Observed):
    """What was seen about one subject; carries no identity decision."""

    proposedSubject: Name  # noqa: N815 -- the design's names are the LLM's schema
    aliases: Annotated[list[Name], Field(max_length=MOST_ALIASES)]
    impressions: Annotated[list[ImpressionPatch], Field(max_length=MOST_PATCHES)]
    features: Annotated[list[FeaturePatch], Field(max_length=MOST_PATCHES)]
    relations: Annotated[list[RelationPatch], Field(max_length=MOST_PATCHES)]
    sourceActiveRuntimeIds: Annotated[list[Label], Field(max_length=16)]  # noqa: N815 -- same
    evidenceSnippets: Annotated[list[Quote], Field(max_length=12)]  # noqa: N815 -- same
    confidence: Sureness
    reason: Annotated[str, StringConstraints(max_length=300)]


class ImpressionObservationPlan(_Observed):
    """What one batch, or one agent, observed."""

    observations: Annotated[list[ImpressionEntityObservation], Field(max_length=MOST_OBSERVATIONS)]
    status: PlanStatus
    reason: Annotated[str, StringConstraints(max_length=300)]
