"""What tests and pictures of the page are about: handed-in observations, and a run that waits with their plan."""

from typing import Any, Final

from tests.web.asking import ask

SUBMIT: Final = """
mutation ($plans: [ObservationPlanInput!]!, $rolling: RollingInput!, $space: String!) {
  submitObservations(plans: $plans, rolling: $rolling, space: $space, confirm: MANUAL) {
    __typename
    ... on UpdateRun { id status }
  }
}
"""
TIRED: Final = "Sherlock Holmes looked tired of London again."
WHO: Final = "Moriarty was seen at the station, in a great hurry."
LONDON: Final[list[dict[str, Any]]] = [
    {
        "proposedSubject": "Sherlock Holmes",
        "impressions": [{"text": "seems tired of London", "evidence": TIRED, "confidence": 0.8}],
    },
    {"proposedSubject": "Moriarty", "features": [{"text": "was seen at the station", "evidence": WHO}]},
]
XUCHANG: Final = ("关羽今天心情不错，他说想回荆州看看。", "孟德昨夜在许都设宴。", "刘备的新马夫叫老秦，住在新野。")
SHU: Final[list[dict[str, Any]]] = [
    {
        "proposedSubject": "关羽",
        "impressions": [
            {"text": "想回荆州", "evidence": XUCHANG[0], "confidence": 0.8},
            {"text": "用户提到了关羽", "evidence": XUCHANG[0], "confidence": 0.8},
            {"text": "爱喝酒", "evidence": "他爱喝酒", "confidence": 0.8},
        ],
    },
    {
        "proposedSubject": "老秦",
        "aliases": ["他"],
        "features": [
            {"text": "住在新野", "evidence": XUCHANG[2], "confidence": 0.9},
            {"text": "会唱歌", "evidence": XUCHANG[2], "confidence": 0.05},
        ],
        "relations": [
            {"target": "刘备", "relation": "主人", "evidence": XUCHANG[2]},
            {"target": "小红", "relation": "女儿", "evidence": XUCHANG[2]},
            {"target": "他", "relation": "朋友", "evidence": XUCHANG[2]},
            {"target": "老秦", "relation": "邻居", "evidence": XUCHANG[2]},
        ],
    },
    {"proposedSubject": "他", "features": [{"text": "昨夜设宴", "evidence": XUCHANG[1]}]},
    {"proposedSubject": "许都的厨子", "confidence": 0.3, "features": [{"text": "备宴", "evidence": XUCHANG[1]}]},
    {"proposedSubject": "空空"},
]


async def submit(url: str, space: str, observations: list[dict[str, Any]], texts: tuple[str, ...]) -> str:
    """Hand observations in and return the run whose plan waits for a word."""
    rolling = {"summary": texts[0], "messages": [{"role": "user", "text": each} for each in texts]}
    told = await ask(url, SUBMIT, plans=[{"observations": observations}], rolling=rolling, space=space)
    assert told["submitObservations"]["status"] == "PREPARED"
    return str(told["submitObservations"]["id"])


async def uuid_of(url: str, space: str, name: str) -> str:
    """Return the id of the one entity that bears a name."""
    asked = "query ($name: String!, $space: String!) { entityByName(name: $name, space: $space) { uuid } }"
    (found,) = (await ask(url, asked, name=name, space=space))["entityByName"]
    return str(found["uuid"])
