"""Matches for people: a bar of contributions, the numbers behind it, and the reason."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from api.cli.output import plain
from resolvers.recall.values import Channel, Match, Recall, Rule, Signal

COLOURS: Final = {
    Channel.NAME: "green",
    Channel.TEXT: "cyan",
    Channel.VECTOR: "blue",
    Channel.PHRASE: "magenta",
    Channel.NEIGHBOUR: "red",
    Channel.RECENCY: "yellow",
}
_BAR: Final = 16
_SUBJECT: Final = 26
_REASONS: Final = 2
_SMALLEST: Final = 0.005
"""A contribution that rounds to more than 0.00."""
_NOTHING: Final = Text("about nothing that is remembered", style="dim")


def recall_document(recall: Recall) -> dict[str, Any]:
    """Return a recall as JSON has it, without what only a projection needs."""
    return {
        "matches": [match_document(match) for match in recall.matches],
        "ambiguousNames": plain(recall.ambiguous_names),
        "notes": plain(recall.notes),
        "vectorUsed": recall.vector_used,
        "tookMs": recall.took_ms,
    }


def match_document(match: Match) -> dict[str, Any]:
    """Return a match as JSON has it."""
    return {
        **plain(match),
        "signals": [{"source": signal.source.value, **plain(signal)} for signal in match.signals],
    }


def render_recall(recall: Recall) -> RenderableType:
    """Return a recall as lines, every signal with its reason."""
    lines = [
        *(line for match in _attached_first(recall.matches) for line in render_match(match)),
        *_doubts(recall),
        *(Text(f"note: {note}", style="dim") for note in recall.notes),
    ]
    return Group(*(lines or [_NOTHING]))


def render_briefly(recall: Recall, *, others: int) -> Iterator[Text]:
    """Yield a recall in two lines a match, with so many of those that are not attached."""
    attached = [match for match in recall.matches if match.attached]
    cut = [match for match in recall.matches if not match.attached][:others]
    for match in [*attached, *cut]:
        yield _headline(match)
        why = f"not attached: {match.reason}"
        if match.attached:
            # That its score is high enough shows in the score; what made it high does not.
            ranked = sorted(match.signals, key=lambda signal: -signal.contribution)[:_REASONS]
            told = [f"{signal.reason}{_hit(signal)}" for signal in ranked if signal.contribution > 0]
            why = "; ".join(dict.fromkeys(told if match.rule is Rule.SCORE else [match.reason, *told[:1]]))
        yield Text(f"  {why}", style="dim")
    yield from _doubts(recall)


def render_match(match: Match) -> Iterator[Text]:
    """Yield the lines of a match: what it is and how its score adds up, then why it is attached or not."""
    yield _headline(match)
    yield Text(f"  {'attached' if match.attached else 'not attached'}: {match.reason}", style="dim")
    for signal in match.signals:
        if signal.contribution > 0:
            yield Text.assemble(
                "  ", (signal.channel.lower(), COLOURS[signal.channel]), (f": {signal.reason}{_hit(signal)}", "dim")
            )


def _headline(match: Match) -> Text:
    subject = match.subject or match.target.id
    return Text.assemble(
        ("● ", "bold green") if match.attached else ("○ ", "dim"),
        (subject, "bold" if match.attached else ""),
        " " * max(1, _SUBJECT - cell_len(subject)),
        f"{match.score:.2f} ",
        _bar(match),
        " " * (_BAR - round(match.score * _BAR) + 1),
        _sum(match.signals),
    )


def _hit(signal: Signal) -> str:
    hit = signal.vector_hit or signal.text_hit
    return f": “{hit.text}”" if hit and hit.text not in signal.reason else ""


def _attached_first(matches: Iterable[Match]) -> list[Match]:
    return sorted(matches, key=lambda match: not match.attached)


def _doubts(recall: Recall) -> Iterator[Text]:
    for each in recall.ambiguous_names:
        yield Text.assemble(
            ("? ", "bold yellow"), f"{each.name} may be ", " or ".join(one.subject for one in each.candidates)
        )


def _bar(match: Match) -> Text:
    """Return a bar as long as the score, a stretch of colour for each channel's contribution."""
    bar, drawn, upto = Text(), 0, 0.0
    for channel, contribution in _channels(match.signals):
        upto += contribution
        width = round(upto * _BAR) - drawn
        bar.append("━" * width, COLOURS[channel])
        drawn += width
    return bar


def _sum(signals: Iterable[Signal]) -> Text:
    parts = [(f"{channel.lower()} {share:.2f}", COLOURS[channel]) for channel, share in _channels(signals)]
    return Text(" + ").join(Text(*part) for part in parts)


def _channels(signals: Iterable[Signal]) -> list[tuple[Channel, float]]:
    shares: dict[Channel, float] = {}
    for signal in signals:
        if signal.contribution >= _SMALLEST:
            shares[signal.channel] = shares.get(signal.channel, 0.0) + signal.contribution
    return sorted(shares.items(), key=lambda each: -each[1])
