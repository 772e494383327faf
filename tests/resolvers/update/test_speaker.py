from resolvers.update.speaker import speaker_among, speaker_of, target_name
from tests.resolvers.update.given import feature, whole

SPEAKERS = {"t1": "Alice", "t2": "Alice", "t3": "Bob", "t4": "the user"}


def test_the_one_who_said_all_that_was_quoted() -> None:
    said = [feature("likes tea", sources={"t1"}), feature("likes cake", sources={"t2", "unsaid"})]

    assert speaker_of(whole("I", generic=True, statements=said), SPEAKERS) == "Alice"


def test_two_speakers_or_a_patch_without_one_are_nobody() -> None:
    alice, bob, nobody = (feature("likes tea", sources={source}) for source in ("t1", "t3", "unsaid"))

    assert speaker_of(whole("I", generic=True, statements=[alice, bob]), SPEAKERS) is None
    assert speaker_of(whole("I", generic=True, statements=[alice, nobody]), SPEAKERS) is None
    assert speaker_of(whole("I", generic=True, statements=[nobody]), SPEAKERS) is None


def test_where_the_texts_name_nobody_nobody_speaks() -> None:
    """Whom a conversation is about need not be who says so."""
    said = [feature("likes tea", sources={"unsaid"})]

    assert speaker_of(whole("我", generic=True, statements=said, sources={"t1"}), SPEAKERS) is None


def test_without_patches_the_snippets_count() -> None:
    assert speaker_of(whole("I", generic=True, statements=[], evidence={"t3"}), SPEAKERS) == "Bob"


def test_others_are_no_speakers() -> None:
    assert speaker_of(whole("he", generic=True), SPEAKERS) is None
    assert speaker_of(whole("I"), SPEAKERS) is None
    assert speaker_among({"t4"}, SPEAKERS) is None


def test_the_name_of_a_target() -> None:
    assert target_name("Zed", {"t1"}, SPEAKERS) == "Zed"
    assert target_name("me", {"t1"}, SPEAKERS) == "Alice"
    assert target_name("me", {"unsaid"}, SPEAKERS) is None
    assert target_name("the user", {"t1"}, SPEAKERS) is None
