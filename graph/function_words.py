"""Words that carry grammar rather than content, in English and Chinese. Written for this project."""

from typing import Final

ENGLISH: Final = frozenset(
    """
    a about above after again against ain all also am an and any anyway are aren as at be because been before being
    below between both but by can cannot could couldn d did didn do does doesn doing don done down during each either
    else etc even ever every few for from further get gets getting go goes going gonna got had hadn has hasn have haven
    having he hence her here hers herself hey him himself his how however i if in into is isn it its itself just let
    like ll m many may maybe me might mine more most much must my myself neither no nor not now of off oh ok okay on
    once one only onto or other our ours ourselves out over own please quite re really s said same say says shall she
    should shouldn since so some still such t than thank thanks that the their theirs them themselves then there
    therefore these they thing things this those though through thus to too um under until up upon us ve very was wasn
    we well were weren what whatever when where whether which while who whom whose why will with within without won
    would wouldn yeah yep yes yet you your yours yourself yourselves
    ah aha alright aw bye cheers enough goodbye ha haha hahaha hehe hello hi hm hmm hmmm lol nope oops ouch sorry sure
    wow yay yup
    """.split()
)

ENGLISH_FORMULAS: Final = frozenset(
    tuple(formula.split())
    for formula in (
        "fair enough", "good afternoon", "good evening", "good idea", "good luck", "good morning", "good night",
        "good point", "makes sense", "my pleasure", "never mind", "nice one", "no problem", "no worries", "sounds good",
        "sounds great", "take care", "well done",
    )
)  # fmt: skip
"""Two words that say nothing in particular together, though one of them might alone."""

CHINESE_CHARACTERS: Final = frozenset(
    "的地得了着过吗呢吧啊呀嘛么哦嗯哈哎唉喔啦咯是在有和与及或就都也很还又再不没无非我你您他她它们咱俺自己这那哪此其某各每"
    "什怎谁为何因所以而且但若如把被给对从到向往由于之者个些几多少能会可要想该应请让使令叫问说道讲做用去来上下里外前后中"
    "将最更太真挺只才已曾正便则却即并等吧呗哟呃好"
)
"""A bigram of two of these finds nothing in particular."""

CHINESE_WORDS: Final = frozenset(
    "我们 你们 他们 她们 它们 咱们 自己 什么 怎么 怎样 这个 那个 这些 那些 这样 那样 这里 那里 哪里 哪个 为什么 因为 所以 但是 "
    "不过 而且 如果 虽然 然后 还有 就是 可以 能够 应该 需要 已经 正在 非常 一个 一些 一下 一样 没有 不是 是的 好的 谢谢 你好 您好 "
    "再见 哈哈 嗯嗯 知道 觉得 认为 请问 现在 时候 今天 明天 昨天 东西 事情 "
    "不客气 不用谢 没关系 没问题 没事 没事的 辛苦了 明白 明白了 了解了 收到 收到了 原来如此 太好了 好极了 好棒 真棒 太棒了 晚安 早安 早上好 "
    "晚上好 拜拜 对不起 不好意思 当然 当然了 当然可以 没错".split()
)

FIRST_PERSON: Final = frozenset("i me my mine myself 我 俺 咱 本人".split())
THIRD_PERSON: Final = frozenset(
    "he him his himself she her hers herself they them their theirs themselves 他 她 它".split()
)

NOT_THIRD_PERSON: Final = ("其他", "其它", "吉他", "他人", "他乡", "他日", "他国", "无他", "他山")
"""Words in which 他 or 它 stands for nobody."""
