"""Which matches the text is really about: the rules, in order, each with its reason."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from resolvers.recall.values import Channel, Match, Rule, Target


@dataclass(frozen=True, slots=True)
class AttachSettings:
    """Where presence begins; both numbers measured on the development sets."""

    threshold: float = 0.23
    """Lowest score that says the text is about a target at all."""
    share_of_best: float = 0.5
    """Lowest score in relation to the best match: it settles precision."""
    most: int = 16
    """Most targets of one text, beside those that the caller names."""


@dataclass(frozen=True, slots=True)
class Context:
    """What the rules look at beside the scores."""

    mentioned: frozenset[Target]
    """Whom the caller's mentions name."""
    speakers: frozenset[Target]
    """Whom the text's first-person words stand for."""
    pronoun: bool
    """Whether the text holds a third-person pronoun."""
    latest: Target | None
    """The conversation's most recent active entity, the speaker left out."""


def attach(matches: Sequence[Match], context: Context, settings: AttachSettings) -> tuple[Match, ...]:
    """Return the matches in their order, each with the rule that attached it or cut it."""
    best = matches[0].score if matches else 0.0
    direct = bool(context.mentioned) or any(signal.direct for match in matches for signal in match.signals)
    follow_up = context.latest if context.pronoun and not direct else None
    ruled = [_rule(match, best, follow_up, context, settings) for match in matches]
    kept = 0
    for place, match in enumerate(ruled):
        counts = match.attached and match.rule not in {Rule.MENTION, Rule.SPEAKER}
        kept += counts
        if counts and kept > settings.most:
            reason = f"the text is about {settings.most} stronger matches already"
            ruled[place] = replace(match, attached=False, rule=Rule.BEYOND_LIMIT, reason=reason)
    return tuple(ruled)


def _rule(match: Match, best: float, follow_up: Target | None, context: Context, settings: AttachSettings) -> Match:
    score = f"its score {match.score:.2f}"
    phrase = next((signal for signal in match.signals if signal.channel is Channel.PHRASE), None)
    strong = match.score >= settings.threshold
    if match.target in context.mentioned:
        attached, rule, reason = True, Rule.MENTION, "the caller's mentions name it"
    elif match.target in context.speakers:
        attached, rule, reason = True, Rule.SPEAKER, "the text's first-person words stand for it"
    elif strong and match.score >= settings.share_of_best * best:
        attached, rule = True, Rule.SCORE
        reason = f"{score} reaches {settings.threshold:.2f} and half of the best, {best:.2f}"
    elif phrase:
        attached, rule, reason = True, Rule.PHRASE, phrase.reason
    elif match.target == follow_up:
        attached, rule = True, Rule.FOLLOW_UP
        reason = "the text says he, she or they, names nobody, and this is what the conversation was about last"
    elif not strong:
        attached, rule, reason = False, Rule.BELOW_THRESHOLD, f"{score} is below the threshold {settings.threshold:.2f}"
    else:
        attached, rule = False, Rule.BELOW_HALF_OF_BEST
        reason = f"{score} is below half of the best match's, {best:.2f}"
    return replace(match, attached=attached, rule=rule, reason=reason)
