"""Made-up people and what is said of them, in English and Chinese, as long and as varied as real ones.

Words follow Zipf's law over thousands of them, so that a full-text index meets common and rare terms as it would in
earnest. The vectors are random: good for timing an index, useless for judging what it finds.
"""

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2s
from typing import Any, Final

from graph.ports import Vector

STATEMENTS: Final = 3
"""Of each entity: one impression, two features."""
WORDS: Final = 6_000
IDEOGRAPHS: Final = 1_800

_ONSETS: Final = "b br c ch d dr f fl g gr h j k l m n p pl qu r s sh st t th tr v w z".split()
_NUCLEI: Final = "a e i o u ai ea ee ie oa oo ou".split()
_CODAS: Final = ["", *"b ck d g l ll m n nd nt p r rd rn s sh st t x".split()]
_COMMON: Final = (
    "人大年天学家工作生活朋友喜欢城市公司老师孩子音乐电影旅行跑步读书写字做饭咖啡茶叶狗猫花草山水春夏秋冬东西南北"
    "红黄蓝绿白黑高低长短新旧早晚快慢冷热医院学校银行车站机场公园图书馆餐厅超市项目会议计划报告问题答案数据系统"
)
_SURNAMES: Final = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕"
_GLUE_EN: Final = "the a of in with for and to at from".split()
_ASKED_EN: Final = ("What did {} say about the {}?", "I met {} again, we talked about {}.", "Is {} still into {}?")
_ASKED_ZH: Final = ("{}最近还在忙{}吗？", "我昨天碰到{}，聊了聊{}。", "{}以前说过的{}是怎么回事？")


@dataclass(frozen=True, slots=True)
class Person:
    """One made-up entity."""

    subject: str
    alias: str
    statements: tuple[str, ...]
    chinese: bool

    @property
    def line(self) -> dict[str, Any]:
        """As an import reads it."""
        first, *others = self.statements
        return {"subject": self.subject, "aliases": [self.alias], "impressions": [first], "features": others}


class World:
    """Draws people and sentences from one seed."""

    def __init__(self, seed: int = 11) -> None:
        self._draw = random.Random(seed)  # noqa: S311 -- the same world every time
        syllables = [a + b + c for a, b, c in itertools.product(_ONSETS, _NUCLEI, _CODAS)]
        words = {a + b for a, b in zip(self._sample(syllables, WORDS), self._sample(syllables, WORDS), strict=True)}
        self._words = sorted(words)
        self._draw.shuffle(self._words)
        rare = [chr(point) for point in self._draw.sample(range(0x4E00, 0x9FA5), IDEOGRAPHS)]
        self._ideographs = list(dict.fromkeys(_COMMON + "".join(rare)))
        self._word_weights = _zipf(len(self._words))
        self._ideograph_weights = _zipf(len(self._ideographs))

    def people(self, number: int) -> list[Person]:
        """Return people of distinct names, every second one Chinese."""
        found: dict[str, Person] = {}
        while len(found) < number:
            person = self._chinese() if len(found) % 2 else self._english()
            found.setdefault(person.subject, person)
        return list(found.values())

    def inputs(self, people: Sequence[Person]) -> Iterator[str]:
        """Yield inputs without end: half name somebody, a quarter say what is known, a quarter something else."""
        for number in itertools.count():
            person = self._draw.choice(people)
            topic = self._topic(chinese=person.chinese)
            if number % 4 < 2:
                yield self._draw.choice(_ASKED_ZH if person.chinese else _ASKED_EN).format(person.subject, topic)
            elif number % 4 == 2:
                yield self._draw.choice(person.statements) + " " + topic
            else:
                yield self._sentence(chinese=person.chinese)

    def _english(self) -> Person:
        first, last, other = (self._draw.choice(self._words).capitalize() for _ in range(3))
        return Person(f"{first} {last}", f"{other} {last}", self._said(chinese=False), chinese=False)

    def _chinese(self) -> Person:
        given = "".join(self._draw.choices(self._ideographs, k=2))
        alias = "".join(self._draw.choices(self._ideographs, k=3))
        return Person(self._draw.choice(_SURNAMES) + given, alias, self._said(chinese=True), chinese=True)

    def _said(self, *, chinese: bool) -> tuple[str, ...]:
        return tuple(self._sentence(chinese=chinese) for _ in range(STATEMENTS))

    def _sentence(self, *, chinese: bool) -> str:
        if chinese:
            characters = self._draw.choices(self._ideographs, self._ideograph_weights, k=self._draw.randint(14, 30))
            return "".join(characters) + "。"
        words = self._draw.choices(self._words, self._word_weights, k=self._draw.randint(7, 13))
        glued = [part for word in words for part in (self._draw.choice(_GLUE_EN), word)]
        return " ".join(glued[1:]).capitalize() + "."

    def _topic(self, *, chinese: bool) -> str:
        if chinese:
            return "".join(self._draw.choices(self._ideographs, self._ideograph_weights, k=6))
        return " ".join(self._draw.choices(self._words, self._word_weights, k=4))

    def _sample(self, pool: Sequence[str], number: int) -> list[str]:
        return self._draw.choices(pool, k=number)


class RandomVectors:
    """An embedder that gives each text a random unit vector, always the same."""

    local: Final = True

    def __init__(self, name: str, dimensions: int) -> None:
        self.name = name
        self.dimensions = dimensions

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [_vector(text, self.dimensions) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        return _vector(text, self.dimensions)


# Remembered, so that a recall right after the first does not pay for the drawing.
@lru_cache(maxsize=64)
def _vector(text: str, dimensions: int) -> Vector:
    draw = random.Random(blake2s(text.encode()).digest())  # noqa: S311
    numbers = [draw.gauss(0, 1) for _ in range(dimensions)]
    length = math.hypot(*numbers)
    return tuple(number / length for number in numbers)


def _zipf(number: int) -> list[float]:
    return [1 / (rank + 2) for rank in range(number)]
