import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.update.templated import is_templated

NAMES = ["Alice", "小雨"]


@pytest.mark.parametrize(
    "text",
    [
        *("Alice was mentioned in the conversation.", "was mentioned in the conversation", "mentioned by the user"),
        *("Alice", "Alice is Alice", "Ａｌｉｃｅ。", "The user mentioned Alice", "The user talked about her sister"),
        *("Alice appears in the conversation", "Alice was briefly mentioned during our conversation"),
        *("Alice is a person", "Alice is a person who was mentioned in the chat", "She was discussed by the user"),
        *("No further information is available.", "is a user", "user", "he", "👍"),
        *(
            "用户提到了Alice",
            "用户提到了她的工作",
            "Alice在对话中被提到",
            "Alice 被用户提到",
            "被用户提到过",
            "提到了小雨",
        ),
        *("小雨出现在对话中", "小雨是一个人", "小雨是人物", "暂无更多信息", "小雨", "对话中提及的人物"),
    ],
)
def test_it_says_nothing(text: str) -> None:
    assert is_templated(text, NAMES)


@pytest.mark.parametrize(
    "text",
    [
        *("Alice was mentioned as the next director", "likes tea", "lives in Hangzhou", "is a nurse", "42"),
        *("was named employee of the month", "appears on TV every week", "is part of the chess club"),
        *("is a person who cares", "no sugar in her coffee", "He discussed moving to Berlin", "Alicent is kind"),
        *(
            "是名人",
            "她是中国人",
            "喜欢喝茶",
            "提到茶就高兴",
            "讨论会的主持人",
            "有人缘",
            "很美",
            "养了一只猫",
            "小雨喜欢下雨",
        ),
    ],
)
def test_it_says_something(text: str) -> None:
    assert not is_templated(text, NAMES)


@given(st.text(max_size=60), st.lists(st.text(max_size=10), max_size=3))
def test_never_raises(text: str, names: list[str]) -> None:
    assert is_templated(text, names) in {True, False}
