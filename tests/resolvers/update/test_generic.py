import pytest

from resolvers.update.generic import is_assistant, is_first_person, is_generic


@pytest.mark.parametrize(
    "word",
    [
        *("he", "Her", "THEY", "it", "you", "I", "me", "someone", "everybody", "who"),
        *("user", "the user", "The User", "this user", "a person", "the man", "people", "speaker", "unknown", "N/A"),
        *("assistant", "the assistant", "the AI", "chatbot", "AI助手", "助手"),
        *("他", "她", "它", "他们", "我", "我的", "你", "您", "对方", "某人", "有人", "大家", "谁", "自己"),
        *("用户", "该用户", "这位用户", "这个人", "那个男人", "一位女士", "说话人", "未知"),
        *('"the user"', "用户。", " 她 ", "Ｈｅ", "「用户」"),
    ],
)
def test_words_that_name_nobody(word: str) -> None:
    assert is_generic(word)


@pytest.mark.parametrize(
    "name",
    [
        *("Alice", "Herman", "Hector", "User Experience Team", "AI", "Mei", "The Who", "Someone Like You", "Personio"),
        *("US", "IT", "WHO"),
        *("林小雨", "他拉", "某公司", "本田", "该隐", "用友", "人民日报", "我的世界", "自己人咖啡馆"),
    ],
)
def test_names_that_look_like_them(name: str) -> None:
    assert not is_generic(name)


@pytest.mark.parametrize("word", ["I", "my", "Me", "myself", "我", "我的", "本人", "俺"])
def test_first_person_words(word: str) -> None:
    assert is_first_person(word)
    assert is_generic(word)


@pytest.mark.parametrize("word", ["we", "us", "我们", "you", "he", "用户", "Alice"])
def test_the_plural_and_the_others_are_not_the_speaker(word: str) -> None:
    assert not is_first_person(word)


def test_the_agent_itself() -> None:
    assert is_assistant("the assistant")
    assert is_assistant("the AI")
    assert not is_assistant("AI")
    assert not is_assistant("user")
