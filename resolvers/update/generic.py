"""Words that stand for somebody without naming anybody: pronouns and "the user", 用户, 对方, 某人.

Nobody is ever created under such a word, and nobody is found by it: `Her` may be a film, but "her" in an observation is
hardly ever that one. Written for this project.
"""

import re
from typing import Final

from graph.function_words import FIRST_PERSON, THIRD_PERSON
from graph.names import identity_key

_FIRST_PERSON: Final = FIRST_PERSON | frozenset("我的 俺的 咱的 我自己 我本人 我这边".split())
_PRONOUNS: Final = THIRD_PERSON | frozenset(
    """
    it its itself themself we us our ours ourselves you your yours yourself yourselves one oneself who whom whose
    this that these those here there
    someone somebody anyone anybody everyone everybody no-one noone nobody something anything everything nothing others
    another
    我们 我们的 咱们 咱们的 俺们 你 你的 您 您的 你们 你们的 他的 她的 它的 他们 他们的 她们 她们的 它们 它们的 自己
    他自己 她自己 谁 某人 有人 别人 他人 旁人 其他人 大家 大伙 人们 所有人 任何人 对方 对面 此人 该人 双方 彼此 另一个人
    这 那 这个 那个 这些 那些 这里 那里
    """.split()
)
_NOTHING: Final = frozenset(
    "unknown unnamed anonymous none null nil undefined n/a na tbd ? - 未知 无 无名 匿名 不详 暂无 未命名 未提及".split()
) | {"not specified", "not mentioned", "no name", "unknown person", "unknown user", "unknown entity"}
_PEOPLE: Final = frozenset(
    """
    user|users|end user|speaker|human|human being|person|people|man|woman|guy|lady|girl|boy|individual|narrator
    |interlocutor|participant|sender|client|customer|other person|other party|subject|entity|active entity
    |user himself|user herself|user themselves
    |用户|使用者|用户本人|用户自己|说话人|说话者|发言人|发言者|发送者|对话者|当事人|提问者|客户|顾客|人|男人|女人|男子|女子|男的|女的|男士|女士
    |先生|小姐|家伙|人物|主体|实体|对象
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
_ASSISTANT: Final = frozenset(
    """
    assistant|ai assistant|ai model|chatbot|chat bot|bot|language model|virtual assistant|agent|ai agent
    |助手|助理|ai助手|ai 助手|智能助手|智能助理|聊天机器人|语言模型|小助手|ai模型
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
_ACRONYMS: Final = frozenset({"US", "IT", "WHO"})
"""Written so they are names."""
_WORDS: Final = _FIRST_PERSON | _PRONOUNS | _NOTHING
# "the ai" is the one that speaks; "AI" alone is a subject people talk about.
_ARTICLE: Final = re.compile(r"\A(?:the|a|an|this|that|some|any|our|current|same) (?:same |current |other )?(?=.)")
_CHINESE_ARTICLE: Final = re.compile(r"\A(?:这个|那个|这位|那位|一个|一位|某个|某位|某|该|此|本|这|那|当前)(?=.)")


def is_generic(name: str) -> bool:
    """Tell whether a name names nobody: a pronoun, a role in the conversation, "someone", "unknown"."""
    if name.strip() in _ACRONYMS:
        return False
    key = identity_key(name)
    return key in _WORDS or is_assistant(name) or any(form in _PEOPLE for form in _forms(key))


def is_first_person(name: str) -> bool:
    """Tell whether it stands for whoever speaks: I, my, 我, 本人."""
    return identity_key(name) in _FIRST_PERSON


def is_assistant(name: str) -> bool:
    """Tell whether it stands for the agent itself."""
    forms = _forms(identity_key(name))
    return any(form in _ASSISTANT for form in forms) or "ai" in forms[1:]


def _forms(key: str) -> tuple[str, ...]:
    """Return a key and, where it opens with an article, the key without it."""
    bare = _CHINESE_ARTICLE.sub("", _ARTICLE.sub("", key, count=1), count=1)
    return (key,) if bare == key else (key, bare)
