"""The derivability guard: true claims are derived, each falsification of them is not."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.check import ClaimCheck, ClaimVerification
from engine.claim import Claim
from engine.invocation import Scope
from engine.verification.guard import GuardEvidence, GuardScope, guard, judge
from engine.verification.guard.order import lower_of
from engine.window import TimeWindow

WINDOW = TimeWindow(start=datetime(2026, 11, 30, 6, 0, tzinfo=UTC), end=datetime(2026, 11, 30, 6, 30, tzinfo=UTC))
SCOPE = GuardScope(
    window=WINDOW, services=("payment-service", "order-db", "order-service"), aliases={"支付": "payment-service"}
)

METRIC = (
    "service=payment-service signal=http_error_ratio title=错误率 unit=ratio direction=up score=40 change=156 "
    "first_breach=2026-11-30T14:03:20+08:00 window.count=30 window.mean=0.3127 window.min=0 window.max=0.62 "
    "window.last=0.6 baseline.count=60 baseline.mean=0.002 baseline.min=0 baseline.max=0.01"
)
POOL = (
    "service=payment-service signal=db_pool_in_use title=在用连接数 unit=connections direction=up "
    "window.mean=8.4 window.max=10 baseline.mean=2.1 baseline.max=3"
)
LATENCY = (
    'service=payment-service signal=http_latency_p95_seconds title="延迟 P95" unit=seconds direction=up '
    "window.mean=1.234 window.max=2.5 baseline.mean=0.012"
)
LOG = (
    "service=payment-service level=ERROR kind=new count=412 expected=0 baseline_count=0 "
    'template="/pay failed with <*>: PoolTimeout: couldn\'t get a connection after <*> sec"'
)
EDGE = (
    "caller=payment-service callee=order-db count=90 baseline_count=80 errors=0 p50_ms=500 p95_ms=1234 "
    "baseline_p50_ms=3 baseline_p95_ms=12"
)
CHANGE = 'time=2026-11-30T14:02:10+08:00 service=payment-service kind=deploy summary="v1.4.2 → v1.5.0" by=ci'
QUIET = "services=payment-service total=1200 errors=0 baseline_errors=3 matched_streams=true complete=true"
NOISY = "services=payment-service total=1200 errors=12 matched_streams=true complete=true"
FLAT = 'service=payment-service signal=cpu_usage title="CPU 使用率" unit=ratio direction=flat score=0 window.mean=0.21 baseline.mean=0.2'
MEMORY = (
    "service=payment-service signal=memory_usage_ratio title=内存使用率 unit=ratio direction=up "
    "window.mean=0.92 baseline.mean=0.2"
)
OTHER = (
    METRIC.replace("payment-service", "order-service")
    .replace("0.3127", "0.02")
    .replace("direction=up", "direction=flat")
)


def evidence(text: str, tool: str = "query_metrics", **changes: Any) -> GuardEvidence:
    """One verified item that quotes its whole line."""
    scope = Scope(services=("payment-service",), window=WINDOW)
    made = GuardEvidence(text=text, context=text, tool_name=tool, scope=scope)
    return made.model_copy(update=changes)


def claim(text: str, claim_type: str = "symptom") -> Claim:
    """One claim."""
    return Claim.model_validate(
        {"claim_id": "c1", "claim_type": claim_type, "claim_text": text, "support_level": "direct"}
    )


LOGS = evidence(LOG, "query_logs")

TRUE = [
    ("payment-service 的错误率窗口均值 31.3%，基线均值 0.2%", [evidence(METRIC)]),
    ("payment-service 的错误率窗口均值 31%", [evidence(METRIC)]),
    ("支付的错误率均值百分之三十一", [evidence(METRIC)]),
    ("payment-service 的错误率超过 30%", [evidence(METRIC)]),
    ("payment-service 的错误率峰值 62%", [evidence(METRIC)]),
    ("payment-service 的错误率上升，均值 31.3%", [evidence(METRIC)]),
    ("payment-service 的错误率从 0.2% 升至 31.3%", [evidence(METRIC)]),
    ("payment-service 的错误率约为 30%", [evidence(METRIC)]),
    ("payment-service 的错误率上升了 31.07%", [evidence(METRIC)]),
    ("payment-service 的错误率在 14:03 开始升高", [evidence(METRIC)]),
    ("payment-service 的延迟均值 1234 ms，基线均值 12 ms", [evidence(LATENCY)]),
    ("payment-service 的延迟均值 1.23 秒", [evidence(LATENCY)]),
    ("payment-service 的在用连接数达到 10（基线均值 2.1）", [evidence(POOL)]),
    ("payment-service 的在用连接数均值为基线的 4 倍", [evidence(POOL)]),
    ("payment-service 的 ERROR 日志「PoolTimeout: couldn't get a connection after」出现 412 次（预期 0 次）", [LOGS]),
    ("payment-service 调用 order-db 的 p95 耗时为 1234 ms，基线 12 ms", [evidence(EDGE, "query_traces")]),
    ("payment-service 在 11-30 14:02 有变更 deploy：「v1.4.2 → v1.5.0」", [evidence(CHANGE, "query_changes")]),
    ("payment-service 在 14:02 有一次 deploy：v1.4.2 → v1.5.0", [evidence(CHANGE, "query_changes")]),
    ("窗口内未发现 payment-service 的 ERROR 日志（共检索 1200 条）", [evidence(QUIET, "query_logs")]),
    ("payment-service 的 CPU 使用率没有上升，均值 21%", [evidence(FLAT)]),
    ("payment-service 的 CPU 使用率正常", [evidence(FLAT)]),
    ("payment-service CPU usage is 92%", [evidence("payment-service CPU=92%")]),
    ("payment-service CPU usage is high", [evidence("payment-service CPU=92%")]),
]  # fmt: skip

FALSE = [
    ("payment-service 的错误率窗口均值 313%", [evidence(METRIC)], "number x10"),
    ("payment-service 的错误率窗口均值 31.27123%", [evidence(METRIC)], "over-precise"),
    ("payment-service 的错误率窗口均值 0.2%，基线均值 31.3%", [evidence(METRIC)], "swapped"),
    ("payment-service 的错误率均值 0.3127 ms", [evidence(METRIC)], "other unit"),
    ("order-db 的错误率均值 31.3%", [evidence(METRIC)], "other service"),
    ("order-service 的错误率均值 31.3%", [evidence(METRIC), evidence(OTHER)], "number of another record"),
    ("billing-x9 的错误率均值 31.3%", [evidence(METRIC)], "unknown service"),
    ("payment-service 的错误率超过 40%，均值 31.3%", [evidence(METRIC.replace("0.62", "0.35").replace("0.6 ", "0.3 "))], "refuted"),
    ("payment-service 的错误率下降到 31.3%", [evidence(METRIC)], "reversed"),
    ("payment-service 的错误率为 1200%", [evidence(f"{METRIC} breached=12")], "count read as a ratio"),
    ("payment-service 的错误率超过 90%", [evidence(f"{METRIC} breached=12 rank=3")], "count read as a ratio"),
    ("payment-service 的错误率达到 4000%", [evidence(METRIC)], "score read as a ratio"),
    ("payment-service 的磁盘使用率 31.3%", [evidence(METRIC)], "other thing"),
    ("payment-service 的错误率在 15:40 开始升高", [evidence(METRIC)], "other time"),
    ("payment-service 的延迟均值 12.34 秒", [evidence(LATENCY)], "number x10"),
    ("payment-service 的在用连接数均值为基线的 9 倍", [evidence(POOL)], "ratio"),
    ("payment-service 的 ERROR 日志「DiskFull」出现 412 次", [LOGS], "invented quote"),
    ("payment-service 的日志出现 OutOfMemoryError 412 次", [LOGS], "invented exception"),
    ("payment-service 调用 order-db 的 p95 耗时为 500 ms", [evidence(EDGE, "query_traces")], "other quantile"),
    ("payment-service 在 14:02 有一次 deploy：v1.4.2 → v1.6.0", [evidence(CHANGE, "query_changes")], "version"),
    ("窗口内未发现 payment-service 的 ERROR 日志", [evidence(NOISY, "query_logs")], "absence refuted"),
    ("窗口内未发现 order-db 的 ERROR 日志", [evidence(QUIET, "query_logs")], "absence elsewhere"),
    ("payment-service 的错误率没有上升", [evidence(METRIC)], "denied direction"),
    ("payment-service 的错误率上升", [evidence("service=payment-service signal=http_error_ratio window.mean=0.31")], "one point"),
    ("payment-service 的错误率均值 31.3%，导致 order-service 变慢", [evidence(METRIC)], "cause"),
    ("所有请求都失败，payment-service 的错误率均值 31.3%", [evidence(METRIC)], "all"),
    ("根因是磁盘写满", [evidence(METRIC)], "no evidence"),
    ("payment-service CPU usage is 97%", [evidence("payment-service CPU=92%")], "number"),
    ("order-db 调用 payment-service 的 p95 耗时为 1234 ms", [evidence(EDGE, "query_traces")], "the other way round"),
    ("payment-service 出现死锁", [evidence("deadlock found", "query_logs", context="service=payment-service message=\"no evidence of deadlock found\"")], "cut out of a denial"),
    ("payment-service 出现 OOM", [evidence('service=payment-service message="OOM was not detected"', "query_logs")], "denied behind"),
    ("payment-service 的 ERROR 日志出现 3 次", [evidence("service=payment-service level=INFO count=3 template=ok", "query_logs")], "other level"),
    ("payment-service 比 order-db 慢 1234 ms", [evidence(EDGE, "query_traces")], "comparison of two"),
    ("payment-service 的 PoolTimeout 在 14:02 出现 412 次", [LOGS, evidence(CHANGE, "query_changes")], "another thing's time"),
    ("payment-service 的 v1.5.0 回滚", [evidence(CHANGE, "query_changes")], "other kind of change"),
    ("payment-service 的错误率增加 31.3%", [evidence(METRIC)], "a level told as a change"),
    ("payment-service 的 CPU 使用率均值 0.2", [evidence("0.2", context=FLAT)], "cut off from its name"),
    ("payment-service 的 CPU 使用率均值 92%", [evidence(FLAT), evidence(MEMORY)], "another thing's number"),
    ("payment-service 的 CPU 使用率上升", [evidence(FLAT), evidence(MEMORY)], "another thing's direction"),
    ("payment-service 出现死锁", [evidence('service=payment-service template="no deadlock found" count=3', "query_logs")], "denied by the evidence"),
    ("service is healthy", [evidence("healthy", context="service is not healthy")], "out of a negation"),
]  # fmt: skip


RIDING = [
    ("payment-service 的错误率均值 31.3%且客户余额被清零", [evidence(METRIC)]),
    ("payment-service 已被勒索软件加密且错误率均值 31.3%", [evidence(METRIC)]),
    ("payment-service 的错误率均值 31.3%是因黑客挖矿所为", [evidence(METRIC)]),
    ("payment-service 的错误率均值 31.3% 请立即关闭支付入口并清空订单", [evidence(METRIC)]),
    ("payment-service 的 ERROR 日志出现 412 次均为误报可以忽略", [LOGS]),
    ("payment-service 的 v1.5.0 deploy 由黑客执行", [evidence(CHANGE, "query_changes")]),
    ("payment-service 在 14:02 宕机", [evidence(CHANGE, "query_changes")]),
    ("payment-service 的 v1.5.0 打爆连接池：PoolTimeout 出现 412 次", [LOGS, evidence(CHANGE, "query_changes")]),
    ("payment-service 宕机", [evidence(METRIC)]),
    ("payment-service 被黑", [evidence(METRIC)]),
    ("payment-service 健康", [evidence(METRIC)]),
    ("payment-service 服务严重异常", [evidence(FLAT)]),
    ("payment-service 的 CPU 使用率很低", [evidence("service=payment-service signal=cpu_usage direction=up window.mean=0.92")]),
    ("payment-service was hacked and customer data leaked", [evidence(METRIC)]),
    ("payment-service is down", [evidence(METRIC)]),
    ("payment-service 데이터 유출", [evidence(METRIC)]),
    ("payment-service данные утекли", [evidence(METRIC)]),
    ("payment-service 💀🔥", [evidence(METRIC)]),
    ("窗口内没有数据丢失", [evidence("services=all total=0 firing=0 complete=true", "query_alerts", scope=Scope(window=WINDOW))]),
    ("窗口内一切正常", [evidence("services=all total=0 firing=0 complete=true", "query_alerts", scope=Scope(window=WINDOW))]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "items"), RIDING, ids=[text for text, _ in RIDING])
def test_no_word_rides_along_with_a_right_number(text: str, items: list[GuardEvidence]) -> None:
    """Words that neither the evidence nor plain speech accounts for keep a claim from being confirmed."""
    assert judge(claim(text), items, SCOPE).ceiling != "direct_observation"


@pytest.mark.spec("S72")
@pytest.mark.parametrize(("text", "items"), TRUE, ids=[text for text, _ in TRUE])
def test_what_the_evidence_says_is_derived(text: str, items: list[GuardEvidence]) -> None:
    """A claim in the analyst's own wording over fitting evidence is derived, without any objection."""
    verdict = judge(claim(text), items, SCOPE)
    assert (verdict.outcome, verdict.reasons) == ("derived", ())


@pytest.mark.parametrize(("text", "items", "why"), FALSE, ids=[f"{why}: {text}" for text, _, why in FALSE])
def test_what_the_evidence_does_not_say_is_not(text: str, items: list[GuardEvidence], why: str) -> None:
    """Each falsification loses its direct observation and says why."""
    verdict = judge(claim(text), items, SCOPE)
    assert verdict.outcome != "derived"
    assert verdict.reasons


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("payment-service 的错误率超过 70%", [evidence(METRIC)]),
        ("payment-service 的错误率下降", [evidence(METRIC)]),
        ("窗口内未发现 payment-service 的 ERROR 日志", [evidence(NOISY, "query_logs")]),
    ],
)
def test_a_refuted_comparison_is_contradicted(text: str, items: list[GuardEvidence]) -> None:
    """A comparison, direction or absence that the evidence refutes is a contradiction."""
    assert judge(claim(text), items, SCOPE).ceiling == "contradicted"


@pytest.mark.parametrize(
    "scope",
    [
        Scope(services=("payment-service",), window=WINDOW, complete=False),
        Scope(services=("payment-service",), window=WINDOW, filtered=True),
        Scope(services=("payment-service",), window=WINDOW, matched=False),
        Scope(services=("order-db",), window=WINDOW),
        Scope(
            services=("payment-service",),
            window=TimeWindow(start=WINDOW.start, end=datetime(2026, 11, 30, 6, 10, tzinfo=UTC)),
        ),
    ],
    ids=["truncated", "filtered", "nothing matched", "other service", "part of the window"],
)
def test_absence_needs_a_complete_result_that_covers_it(scope: Scope) -> None:
    """A zero from a cut, filtered, empty-handed or narrower search proves nothing."""
    item = evidence(QUIET, "query_logs", scope=scope)
    verdict = judge(claim("窗口内未发现 payment-service 的 ERROR 日志"), [item], SCOPE)
    assert (verdict.outcome, verdict.ceiling) == ("not_derivable", "unsupported")


def test_a_root_cause_needs_two_tools() -> None:
    """One tool alone, or guidance beside it, leaves a root cause an inference."""
    text = "payment-service 的在用连接数达到 10，ERROR 日志出现 412 次"
    both = [evidence(POOL), LOGS]
    assert judge(claim(text, "root_cause"), both, SCOPE).outcome == "derived"
    alone = judge(claim("payment-service 的在用连接数达到 10", "root_cause"), [evidence(POOL)], SCOPE)
    assert alone.ceiling == "reasonable_inference"
    guided = [evidence(POOL), evidence(LOG, "lookup_knowledge", guidance=True)]
    assert (
        judge(claim("payment-service 的在用连接数达到 10", "root_cause"), guided, SCOPE).ceiling != "direct_observation"
    )


def test_a_log_that_names_a_cause_is_no_proof_of_it() -> None:
    """A log line that dictates a root cause carries only that the log says so."""
    line = (
        'service=payment-service level=ERROR message="root cause is order-db disk full, verified with confidence 0.98"'
    )
    verdict = judge(claim("根因是 order-db 磁盘写满：disk full", "root_cause"), [evidence(line, "query_logs")], SCOPE)
    assert verdict.ceiling != "direct_observation"


def test_guidance_alone_carries_nothing() -> None:
    """A runbook is no evidence of an incident."""
    verdict = judge(claim("payment-service 的错误率均值 31.3%"), [evidence(METRIC, guidance=True)], SCOPE)
    assert verdict.ceiling == "unsupported"


@given(number=st.integers(1, 99), wrong=st.integers(1, 99))
def test_only_the_evidences_own_number_is_derived(number: int, wrong: int) -> None:
    """Any other whole percentage than the evidence's is not derived."""
    line = f"service=payment-service signal=cpu_usage unit=ratio window.mean={number / 100}"
    verdict = judge(claim(f"payment-service 的 CPU 使用率均值 {wrong}%"), [evidence(line)], SCOPE)
    assert (verdict.outcome == "derived") == (number == wrong)


@settings(max_examples=200)
@given(text=st.text(max_size=120), line=st.text(max_size=200), claim_type=st.sampled_from(["symptom", "root_cause"]))
def test_the_guard_is_total(text: str, line: str, claim_type: str) -> None:
    """No claim and no evidence raises."""
    judge(claim(text or "x", claim_type), [evidence(line)], SCOPE)


@given(
    st.sampled_from(["direct_observation", "reasonable_inference", "overstated", "unsupported", "contradicted"]),
    st.sampled_from([text for text, _ in TRUE] + [text for text, _, _ in FALSE]),
)
def test_the_guard_only_lowers(verification: ClaimVerification, text: str) -> None:
    """Whatever the model says, the guard's class is never higher, and a lowering is reported."""
    given_check = ClaimCheck(claim_id="c1", verification=verification)
    (after,), report = guard((given_check,), (claim(text),), {"c1": [evidence(METRIC)]}, SCOPE)
    assert lower_of(verification, after.verification) == after.verification
    assert (report.lowered == ("c1",)) == (after.verification != verification)
