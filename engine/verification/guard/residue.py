"""The words of a clause that nothing explains: neither what was checked, nor the evidence, nor plain speech.

A number that is right carries no other word of its sentence. So every word has to be accounted for: as a name,
number, time, direction, concept or absence that was checked, as a word of the evidence itself, or as one of
the plain words below, which assert nothing.
"""

import re
import unicodedata
from collections.abc import Sequence

from engine.verification.guard.clauses import Clause
from engine.verification.guard.records import Record
from engine.verification.guard.words import ABSENCE, ANY_CONCEPT, CAUSES, DOWN, QUALIFIERS, UP
from engine.verification.quantities import read_quantities

__all__ = ["unexplained", "unexplained_words"]

_PLAIN = re.compile(
    r"时间段|时间|窗口|期间|之间|以来|开始于|结束于|开始|结束|起|止|较基线|按基线|预期|基线|平时|此前|之前|之后|均值为|均值|"
    r"平均|峰值|最大值|最小值|最大|最小|最高|最低|最新|中位数|分位|当前|现在|目前|内|中|时|前后|左右|约为|大约|约|近|达到|"
    r"达|为|是|在|有|的|了|和|与|及|或|共计|共|其中|每|从|由|自|到|至|于|被|把|对|较|比|按|折算|出现|检索|检出|显示|"
    r"观察到|测得|记录|存在|发生|处于|状态|一次|一条|一个|次数|个数|条数|次|个|条|笔|项|种|类|倍|样本|序列|指标|服务|"
    r"接口|操作|调用|自身|耗时|等待|使用率|利用率|用量|数值|数量|总数|速率|取连接|在用|实例|组件|明显|相比|而|并|且|也|"
    r"未分级|级别|名为|标题|内容|信息|模板|示例|类型|变为|变化|改变|高于|低于|超过|超出|不低于|不超过|不到|至少|至多|以上|"
    r"以下|突破|接近|大于|小于|多于|少于|不足|不高于|不少于"
)
"""Words that say how, when and how much is measured, and what joins them; none says what is wrong."""

_SHOWN: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"失败|错误|报错|异常"), re.compile(r"error|fail|exception|errors|anomal|5xx|timeout|level=(?:error|fatal)|错误|失败")),
    (re.compile(r"偏离"), re.compile(r"anomal|score")),
    (re.compile(r"变更|改动"), re.compile(r"change|deploy|config|kind=")),
    (re.compile(r"告警|触发|报警"), re.compile(r"alert|firing|state=active")),
    (re.compile(r"日志"), re.compile(r"level=|template|query_logs|message")),
    (re.compile(r"片段|链路|调用链"), re.compile(r"span|trace")),
    (re.compile(r"请求"), re.compile(r"request|waiting|http")),
    (re.compile(r"未命中|命中"), re.compile(r"total|hits|count")),
)  # fmt: skip
"""(words, what evidence of them looks like)."""

_LEVELS = (
    (1, re.compile(r"很高|较高|偏高|过高|升高|高企|高|多|大|慢|high")),
    (-1, re.compile(r"很低|较低|偏低|低|少|快|low")),
)
_ENGLISH = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "in",
        "on",
        "at",
        "is",
        "are",
        "was",
        "were",
        "be",
        "and",
        "or",
        "to",
        "by",
        "for",
        "with",
        "from",
        "as",
        "than",
        "its",
        "it",
        "this",
        "that",
        "usage",
        "mean",
        "max",
        "min",
        "avg",
        "average",
        "peak",
        "baseline",
        "window",
        "value",
        "rate",
        "ratio",
        "count",
        "total",
        "per",
        "about",
        "around",
        "over",
        "under",
        "above",
        "below",
        "reached",
        "reaches",
        "times",
        "time",
        "errors",
        "error",
        "logs",
        "log",
        "service",
    ]
)
_JUDGED = re.compile(
    "|".join(
        f"(?:{pattern.pattern})"
        for pattern in (UP, DOWN, CAUSES, ABSENCE, ANY_CONCEPT, *(word for word, _ in QUALIFIERS))
    )
)
"""Words that other rules of the guard judge."""

_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_LATIN = re.compile(r"[a-z][a-z0-9_]+")
_JOINING = frozenset("上下里外后前又即则以等该此这那某各")
"""Single characters that may be left between explained words."""


def unexplained(clause: Clause, home: Sequence[Record], sign: int | None) -> tuple[str, ...]:
    """The words of a clause that nothing accounts for, in order; empty where all are.

    Args:
        clause: the clause, its quotes blanked.
        home: the records that it is judged against.
        sign: the direction that they show; None where they show none.
    """
    text = clause.text
    for quantity in reversed(clause.quantities):
        text = f"{text[: quantity.start]} {text[quantity.end :]}"
    for name in sorted({*clause.services, *(entity.name for entity in clause.entities)}, key=len, reverse=True):
        text = text.replace(name, " ")
    text = _JUDGED.sub(" ", text)
    held = " ".join(f"{record.text} {record.source.tool_name}" for record in home)
    for words, shown in _SHOWN:
        if words.search(text) and shown.search(held):
            text = words.sub(" ", text)
    for level, words in _LEVELS:
        if sign in (None, level) or (sign == 0 and level < 0):
            text = words.sub(" ", text)
    return unexplained_words(text, held)


def unexplained_words(text: str, held: str) -> tuple[str, ...]:
    """The words of a folded text that stand neither among the plain ones nor in the held text."""
    rest = _PLAIN.sub(" ", text)
    found: list[str] = []
    for run in _HAN_RUN.findall(rest):
        pairs = [run[index : index + 2] for index in range(len(run) - 1)]
        alone = len(run) == 1 and run not in _JOINING and run not in held
        if alone or any(pair not in held for pair in pairs):
            found.append(run)
    found += [word for word in _LATIN.findall(rest) if word not in _ENGLISH and word not in held]
    found += [
        character
        for character in rest
        if not character.isascii()
        and not _HAN_RUN.match(character)
        and unicodedata.category(character)[0] in "LS"
        and character not in "→←↑↓±×÷≥≤≈≠·□℃°"
    ]
    return tuple(dict.fromkeys(found))


def plain_numbers(text: str) -> str:
    """A text without its quantities, for judging its words alone."""
    for quantity in reversed(read_quantities(text)):
        text = f"{text[: quantity.start]} {text[quantity.end :]}"
    return text
