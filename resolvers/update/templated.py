"""Statements that say nothing: that somebody was mentioned, that a person is a person, the subject once more.

Observers fill a list with such sentences when they find nothing to put in it. Patterns in two languages, written for
this project.
"""

import re
from collections.abc import Collection
from typing import Final

from graph.names import fold, identity_key
from graph.text import UNSPACED, search_terms
from resolvers.update.generic import is_generic

_SPEAKER: Final = "(?:the |this )?(?:user|speaker|assistant|human|person|someone)s?"
_WHERE: Final = (
    "(?: (?:by|in|during|within|at|from|of|throughout) (?:the |this |a |our |their )?"
    "(?:user|assistant|speaker|human|conversation|chat|dialog|dialogue|discussion|message|text|context|summary|"
    "exchange|session|evidence|source)s?)*"
)
_OFTEN: Final = "(?:(?:briefly|also|only|just|often|repeatedly|frequently|simply|once|explicitly|directly) )?"
_MENTIONED: Final = "(?:mentioned|discussed|referenced|referred to|talked about|brought up|named|noted|cited)"
_PERSON: Final = (
    "(?:a |an |the |some )?(?:person|people|human|human being|name|entity|individual|someone|somebody|something|"
    "subject|topic|character|figure|thing|user)"
)
_NAME: Final = "\0"
"""Put in the place of each of the subject's names, so that one set of patterns serves all."""
# {0}: the subject, under one of its names, or a word that stands for it.
_SUBJECT: Final = f"(?:{_NAME}|it|he|she|they|this|{_SPEAKER}|用户|他|她|它|其|该人|此人)"
_SHAPES: Final = (
    # Alice was mentioned in the conversation; mentioned by the user
    "(?:{0} )?(?:(?:was|is|were|are|has been|have been|had been|being|gets|got) )?" + _OFTEN + _MENTIONED + _WHERE,
    # Alice appears in the conversation
    "(?:{0} )?" + _OFTEN + "(?:appears|appeared|came up|comes up|exists|is present|is part)" + _WHERE,
    # Alice is a person (who was mentioned …)
    "(?:{0} )?(?:(?:is|was) )?"
    + _PERSON
    + "(?: (?:(?:who|that|which) )?(?:(?:was|is|has been) )?"
    + _MENTIONED
    + _WHERE
    + ")?",
    # The user mentioned …
    _SPEAKER
    + " "
    + _OFTEN
    + "(?:(?:has|have|had) )?"
    + _OFTEN
    + "(?:mentions?|mentioned|talked about|talks about|spoke about|speaks about|referred to|refers to|discussed|"
    "discusses|brought up|asked about|asks about)(?: .*)?",
    # No further information
    (
        "(?:there is |there are )?(?:no|not enough|unknown|little) (?:further |other |more |additional |specific )*"
        "(?:information|info|details?|evidence|context|facts?)"
        "(?: (?:is|are|was|were|about|on|available|known|given|provided)(?: .*)?)?"
    ),
    # {0}在对话中被提到(了)
    (
        "(?:{0} ?)?(?:在|于)?(?:这次|本次|此次|我们的)?(?:对话|聊天|会话|交谈|谈话|消息|文本|上下文)?(?:中|里)?"
        "(?:曾|曾经|刚刚|也|还|多次|只)?(?:被|由|有|受到)?(?:用户|对方|助手|人|说话人)?(?:所)?"
        "(?:提到|提及|谈到|谈及|说到|聊到|聊起|提起|讨论|出现)(?:了|过)?(?:一次|多次)?"
        "(?:的)?(?: ?{0}|人|人物|名字|对象|实体|话题|内容)?"
    ),
    "(?:{0} ?)?出现(?:在|于)(?:了)?(?:这次|本次|此次|我们的)?(?:对话|聊天|会话|交谈|谈话|消息|文本|上下文)(?:中|里)?",
    # 用户提到了……
    (
        "(?:该|这位|那位)?(?:用户|使用者|说话人|说话者|对方|助手|助理|发言人)(?:在(?:对话|聊天|会话|交谈|消息)(?:中|里))?"
        "(?:曾|曾经|刚刚|刚才|还|也|多次|只是)?(?:提到|提及|谈到|谈及|说到|聊到|聊起|提起|讨论|询问)(?:了|过)?.*"
    ),
    # {0}是一个人
    "(?:{0} ?)?(?:是|为)?(?:[一某](?:个|位|名)?)?(?:人|人物|名字|实体|对象|话题)",
    "(?:暂无|没有|无|缺乏|未知)(?:更多|其他|其它|进一步|具体|相关|详细|任何)*(?:的)?(?:信息|资料|细节|内容|情况)",
)
_PATTERNS: Final = tuple(re.compile(shape.replace("{0}", _SUBJECT)) for shape in _SHAPES)
_ENDS: Final = " .,;:!?。，；：！？"


def is_templated(text: str, names: Collection[str]) -> bool:
    """Tell whether a statement about somebody of these names says no more than that he is there.

    >>> is_templated("Alice was mentioned in the conversation.", ["Alice"])
    True
    >>> is_templated("Alice was mentioned as the next director.", ["Alice"])
    False
    """
    said = _without_names(fold(text).strip(_ENDS), names)
    rest = said.replace(_NAME, " ")
    if is_generic(rest) or not search_terms(rest):
        return True
    return any(pattern.fullmatch(said) for pattern in _PATTERNS)


def _without_names(folded: str, names: Collection[str]) -> str:
    keys = {key for name in names if (key := identity_key(name))}
    for key in sorted(keys, key=lambda key: (-len(key), key)):
        if key in folded:
            # A name within a longer word is not the name; between ideographs there is no telling.
            before = "" if UNSPACED.match(key[0]) else rf"(?<!(?!{UNSPACED.pattern})\w)"
            after = "" if UNSPACED.match(key[-1]) else rf"(?!(?!{UNSPACED.pattern})\w)"
            folded = re.sub(before + re.escape(key) + after, _NAME, folded)
    return folded
