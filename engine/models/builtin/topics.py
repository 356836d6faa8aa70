"""What a question is about: symptom words in Chinese and English, mapped to tools and signals. Data and matching."""

import re
from dataclasses import dataclass
from typing import Literal

from engine.base import JsonObject
from engine.models.builtin.payload import objects, texts

__all__ = [
    "Emphasis",
    "Topic",
    "emphasis_of",
    "is_broad",
    "named_services",
    "signal_names",
    "signals_for",
    "topics_of",
]

Emphasis = Literal["errors", "latency", "any"]

_BROAD = re.compile(
    r"为什么|为何|为啥|原因|根因|哪个|哪条|哪里|哪些|哪儿|定位|排查|怎么回事|什么问题|引起|导致|拖慢|可疑|故障|误报|出了什么|怎么了|"
    r"不对劲|分析|why|root.?cause|what happened|what's wrong|which|investigate|diagnose"
)


@dataclass(frozen=True)
class Topic:
    """One thing that can be asked about: the tool that answers, and which signals of it, best first."""

    tool: str
    words: re.Pattern[str]
    signals: tuple[re.Pattern[str], ...] = ()


def _topic(tool: str, words: str, *signals: str) -> Topic:
    return Topic(tool, re.compile(words), tuple(re.compile(signal) for signal in signals))


_TOPICS: tuple[Topic, ...] = (
    _topic("query_alerts", r"告警|报警|alert"),
    _topic("query_changes", r"发布|变更|上线|部署|回滚|改动|deploy|\bchanges?\b|release"),
    _topic("query_metrics", r"错误率|失败率|出错率|error.?rat", r"error.*ratio|ratio.*error|fail.*ratio", r"error|5xx|fail"),
    _topic("query_metrics", r"可用性|可用率|成功率|availability|success.?rate", r"availability|success", r"error.*ratio"),
    _topic("query_metrics", r"cpu|处理器", r"cpu.*(?:ratio|percent)", r"cpu"),
    _topic("query_metrics", r"内存|memory|\boom\b", r"mem\w*_(?:ratio|percent)", r"mem|heap|rss"),
    _topic("query_metrics", r"连接池", r"pool.*(?:ratio|percent)", r"pool.*in_use", r"pool"),
    _topic("query_metrics", r"连接数|\bconnections?\b|\bpool\b", r"in_use|connections", r"pool|conn"),
    _topic("query_metrics", r"排队|积压|队列|queue|backlog|\blag\b", r"waiting|queue|lag|backlog|pending"),
    _topic("query_metrics", r"p50|p90|p95|p99|延迟|时延|耗时|响应时间|多慢|latency|response time", r"latency|duration"),
    _topic("query_metrics", r"流量|请求量|请求数|qps|rps|吞吐|traffic|throughput", r"request.*rate|qps|rps", r"request|rate"),
    _topic("query_logs", r"日志|报错|异常栈|堆栈|\blogs?\b|exception|stack"),
    _topic("query_traces", r"调用链|链路追踪|\btraces?\b|\bspans?\b"),
)  # fmt: skip

_QUANTILES = re.compile(r"p\d{2}|平均|均值|mean|average")
_AVERAGES = frozenset({"平均", "均值", "mean"})
_AVERAGE = "average"
_ERROR_WORDS = re.compile(r"报错|错误|失败|异常|可用率|可用性|成功率|5xx|error|fail|availab|exception")
_LATENCY_WORDS = re.compile(r"延迟|时延|耗时|响应时间|变慢|很慢|太慢|卡|转圈|超时|latency|slow|timeout")

_TRADES: tuple[tuple[str, str], ...] = (
    ("网关", r"gateway|ingress"), ("订单", r"order"), ("支付", r"pay"), ("用户", r"user|account"),
    ("库存", r"inventory|stock"), ("购物车", r"cart"), ("登录", r"auth|login|sso"), ("认证", r"auth"),
    ("搜索", r"search"), ("通知", r"notif"), ("短信", r"sms"), ("邮件", r"mail"), ("推荐", r"recommend"),
    ("商品", r"product|catalog|goods"), ("物流", r"shipping|logistic"), ("优惠券", r"coupon"), ("广告", r"\bads?\b"),
    ("前端", r"front|\bweb\b|\bui\b"), ("数据库", r"\bdb\b|mysql|postgres|database"), ("缓存", r"redis|cache|memcached"),
    ("消息队列", r"kafka|rabbit|rocketmq|\bmq\b"),
)  # fmt: skip
"""Chinese words of a trade, and what a service of that trade is called."""

_SEPARATORS = re.compile(r"[-_\s.]")
_LEAST_SQUEEZED = 6


def is_broad(question: str) -> bool:
    """Whether the question asks what is wrong, rather than for one figure (spec S79)."""
    return bool(_BROAD.search(question.lower()))


def topics_of(question: str) -> tuple[Topic, ...]:
    """The topics that the question's words name, in the catalog's order; one per kind of signal."""
    folded = question.lower()
    found = [topic for topic in _TOPICS if topic.words.search(folded)]
    pool = any("连接池" in topic.words.pattern for topic in found)
    return tuple(topic for topic in found if not (pool and "连接数" in topic.words.pattern))


def emphasis_of(question: str) -> Emphasis:
    """Whether the question speaks of failures alone or of slowness alone."""
    folded = question.lower()
    errors, slow = bool(_ERROR_WORDS.search(folded)), bool(_LATENCY_WORDS.search(folded))
    if errors == slow:
        return "any"
    return "errors" if errors else "latency"


def signals_for(topic: Topic, question: str, names: list[str]) -> list[str]:
    """The signals that answer a topic, best first: those of the quantile that the question names come first."""
    for pattern in topic.signals:
        matched = [name for name in names if pattern.search(name)]
        if not matched:
            continue
        said = [_AVERAGE if word in _AVERAGES else word for word in _quantiles(question)]
        wanted = [name for name in matched if any(word in name for word in said)]
        usual = [name for name in matched if re.search(r"p95|average|mean", name)]
        return list(dict.fromkeys((*wanted, *usual, *matched)))
    return []


def _quantiles(question: str) -> list[str]:
    return [match.group() for match in _QUANTILES.finditer(question.lower())]


def named_services(question: str, known: list[JsonObject]) -> list[str]:
    """The services that a question names: by name or alias, without separators, or by the one trade word that fits."""
    folded = question.lower()
    squeezed = _SEPARATORS.sub("", folded)
    found: list[tuple[int, int, str]] = []
    for service in known:
        name = str(service.get("name"))
        for candidate in (name, *texts(service, "aliases")):
            lowered = candidate.lower()
            at = folded.find(lowered) if lowered else -1
            if at < 0 and len(lowered) >= _LEAST_SQUEEZED:
                at = squeezed.find(_SEPARATORS.sub("", lowered))
            if at >= 0:
                found.append((-len(lowered), at, name))
                break
    kept: list[str] = []
    for _, _, name in sorted(found):
        # because "payment" within "payment-service" names the longer one only
        if not any(name.lower() in other.lower() for other in kept):
            kept.append(name)
    return kept or _by_trade(folded, [str(service.get("name")) for service in known])


def _by_trade(question: str, names: list[str]) -> list[str]:
    found: list[str] = []
    for word, pattern in _TRADES:
        if word in question:
            fitting = [name for name in names if re.search(pattern, name.lower())]
            if len(fitting) == 1:
                found += fitting
    return list(dict.fromkeys(found))


def signal_names(payload: JsonObject) -> list[str]:
    """The names of the payload's signals."""
    return [str(signal.get("name")) for signal in objects(payload, "signals")]
