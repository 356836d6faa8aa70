"""The words that the guard knows: what they assert about evidence. Data only."""

import re

__all__ = [
    "ABSENCE",
    "ABSENCE_LOOKALIKES",
    "ALL",
    "ANY_CONCEPT",
    "APPROXIMATE_TIME",
    "CAUSES",
    "CONCEPTS",
    "DOWN",
    "NEGATED_AFTER",
    "NEGATED_BEFORE",
    "NEUTRAL",
    "QUALIFIERS",
    "UP",
]

UP = re.compile(
    r"上升|升高|升至|升到|增加|增长|增多|飙升|激增|暴增|上涨|涨到|涨至|变高|变慢|恶化|攀升|"
    r"\b(?:increas\w*|ris(?:e|es|ing|en)|rose|spik\w*|grew|climb\w*)\b"
)
DOWN = re.compile(
    r"下降|降低|降至|降到|减少|下跌|跌至|跌到|回落|变低|变快|恢复(?:正常)?|"
    r"\b(?:decreas\w*|drop\w*|fell|fall(?:s|ing|en)?|declin\w*|recover\w*)\b"
)
ABSENCE = re.compile(
    r"没有(?!形成)|未发现|未见|未出现|未检出|未触发|未命中|不存在|无(?=异常|错误|报错|告警|变更|发布|日志|数据|任何|error)|"
    r"(?<!不)正常(?!值|时|范围|水平|情况|流量)|为零|\b(?:no|none|without|zero|absent|healthy|not found)\b"
)
ABSENCE_LOOKALIKES = re.compile(r"无法|无效|无响应|无权|无可用|不可用|不正常")
CAUSES = re.compile(
    r"导致|引起|引发|由于|因为|因此|造成|致使|源于|根因是|根本原因是|原因是|触发了|所致|"
    r"\b(?:caus(?:e|es|ed|ing)|because|due to|root cause is|led to|leads to|result(?:s|ed) in)\b"
)
ALL = re.compile(r"所有|全部|唯一|仅有|一直|始终|总是|最严重|最主要|\b(?:only|all|always|every|never)\b")

NEGATED_BEFORE = re.compile(
    r"(?:\b(?:no|not|without|never|zero|non|ruled out)\b[\s:-]*(?:[a-z]+\s+){0,3}|没有|未发现|未见|并非|不是|未|无)\s*$"
)
NEGATED_AFTER = re.compile(
    r"\s*(?:(?:is|are|was|were|has|have|had)\s+)?(?:been\s+)?(?:not|never|ruled out)\b|\s*(?:不存在|未出现|未发生)"
)

APPROXIMATE_TIME = re.compile(r"\s*(?:前后|左右|许|附近|around)")

QUALIFIERS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"基线|平时|此前|之前|baseline"), re.compile(r"baseline|expected")),
    (re.compile(r"预期|expected"), re.compile(r"expected|baseline")),
    (re.compile(r"均值|平均|mean|average|avg"), re.compile(r"mean|avg|average|p50")),
    (re.compile(r"最大|峰值|最高|达到峰|max|peak"), re.compile(r"max|peak|last")),
    (re.compile(r"最小|最低|\bmin\b"), re.compile(r"min")),
    (re.compile(r"p95"), re.compile(r"p95")),
    (re.compile(r"p99"), re.compile(r"p99")),
    (re.compile(r"p50|中位"), re.compile(r"p50|median")),
    (re.compile(r"等待|wait"), re.compile(r"wait")),
    (re.compile(r"自身耗时|self"), re.compile(r"self")),
)
"""(word of the claim, name of the field that it asks for). Where the word stands, the field's name must fit."""

CONCEPTS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(claimed), re.compile(held))
    for claimed, held in (
        (r"cpu|处理器", r"cpu|处理器"),
        (r"内存|memory|\boom\b", r"mem|内存|oom|heap|rss"),
        (r"磁盘|硬盘|disk|iops", r"disk|磁盘|硬盘|iops|filesystem|fs_"),
        (r"错误率|error[ _]?rat(?:e|io)", r"error|错误|fail|失败|5xx|availability|可用"),
        (r"延迟|时延|耗时|响应时间|latency|变慢|慢于", r"latenc|延迟|时延|耗时|duration|_ms|seconds|响应|slow|慢|time"),
        (r"连接池|pool", r"pool|连接池|连接"),
        (r"连接数|连接", r"conn|连接|pool"),
        (r"队列|积压|queue|\blag\b", r"queue|队列|积压|lag|pending|waiting"),
        (r"流量|请求量|请求数|吞吐|qps|rps|traffic", r"request|req|qps|rps|rate|流量|请求|吞吐|count|traffic|workload"),
        (r"重启|restart", r"restart|重启|reboot|start"),
        (r"发布|部署|上线|deploy", r"deploy|发布|部署|上线|release|version"),
        (r"回滚|回退|rollback|revert", r"rollback|roll back|revert|回滚|回退"),
        (r"配置|config", r"config|配置"),
        (r"告警|报警|alert", r"alert|告警|报警|firing|severity"),
        (r"日志|\blogs?\b", r"log|日志|level=|template|message|query_logs"),
        (r"超时|timeout", r"time.?out|timed out|超时|deadline"),
        (r"网络|丢包|network", r"network|网络|wait|丢包|packet|tcp|client_latency|connect"),
        (r"缓存|cache", r"cache|缓存|redis|memcache"),
        (r"数据库|database", r"\bdb\b|db_|-db|_db|database|数据库|postgres|mysql|sql|dynamodb|rds"),
        (r"可用性|可用率|availability", r"availab|可用"),
        (r"磁带|带宽|bandwidth", r"bandwidth|带宽|network|bytes"),
        (r"证书|\btls\b|\bssl\b", r"cert|证书|tls|ssl"),
        (r"攻击|入侵|attack", r"attack|攻击|入侵"),
        (r"限流|throttl", r"throttl|限流|429|rate.?limit"),
        (r"死锁|deadlock", r"deadlock|死锁"),
        (r"线程|thread", r"thread|线程"),
        (r"垃圾回收|\bgc\b", r"gc|垃圾回收"),
    )
)  # fmt: skip
"""(what a claim speaks of, what evidence of it looks like). Without the second the first is not carried."""

ANY_CONCEPT = re.compile("|".join(f"(?:{claimed.pattern})" for claimed, _ in CONCEPTS))
"""Whether a clause speaks of any of them: most do of one, and asking once is quicker than asking for each."""

NEUTRAL = frozenset(
    [
        "cpu",
        "http",
        "https",
        "api",
        "qps",
        "rps",
        "tps",
        "ms",
        "sec",
        "ns",
        "us",
        "id",
        "ip",
        "url",
        "json",
        "ok",
        "error",
        "errors",
        "warn",
        "warning",
        "info",
        "debug",
        "fatal",
        "p50",
        "p90",
        "p95",
        "p99",
        "p999",
        "max",
        "min",
        "avg",
        "mean",
        "last",
        "total",
        "count",
        "rate",
        "ratio",
        "pod",
        "db",
        "sql",
        "log",
        "logs",
        "kb",
        "mb",
        "gb",
        "kib",
        "mib",
        "gib",
        "oom",
        "gc",
        "io",
        "utc",
        "vs",
        "top",
        "n",
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "is",
        "are",
        "was",
        "were",
        "and",
        "or",
        "to",
        "by",
        "for",
        "with",
        "from",
        "service",
        "window",
        "baseline",
        "usage",
    ]
)
"""Words that name no particular thing; they may stand in a claim without standing in its evidence."""
