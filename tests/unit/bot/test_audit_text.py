"""The audit as people read it."""

from zoneinfo import ZoneInfo

from bot.audit_text import audit_text, outcome_zh
from engine.store.memory import MemoryStore
from tests.scenario.story import CPU, Story, binding, check, claim, executor_output, passing, verdict


async def test_a_confirmed_claim_is_told_with_all_that_carries_it() -> None:
    """Class in words, tool, invocation, path, time and excerpt stand together, with verdict, calls and prompts."""
    record = await Story(passing()).told()
    text = audit_text(record)
    assert f"运行    {record.run_id}（会话 {record.session_id}）" in text
    assert "问题    payment-service 为什么报错？" in text
    assert "时间段  11-30 14:00–14:30（Asia/Shanghai）" in text
    assert "c1 [直接观察到] payment-service 的 CPU 使用率均值 92%" in text
    asked = record.invocations[0].started_at.astimezone(ZoneInfo("Asia/Shanghai"))
    assert f"query_metrics inv-1 /series/0 {asked:%m-%d %H:%M:%S}" in text
    assert CPU in text
    assert "裁决    PASS（模型 PASS，上限 PASS" in text
    assert "绑定校验  pass" in text
    for part in ("取证", "轨迹", "提示词"):
        assert f"\n{part}" in text


async def test_a_binding_that_failed_is_told_with_its_rule() -> None:
    """A path that is not there names its claim, rule and reason."""
    bad = claim("c2", "order-db 变慢", bindings=[binding(path="/series/9")])
    record = await Story(passing(executor=[executor_output(claim(), bad)])).told()
    assert "c2 第 1 条：evidence.raw_path" in audit_text(record)


async def test_the_guards_reasons_stand_below_their_claim() -> None:
    """A number that the excerpt does not hold is lowered, and the audit says from what and why."""
    wrong = claim("c2", "payment-service 的 CPU 使用率均值 97%", "observation")
    replied = verdict(check(), check("c2"))
    record = await Story(passing(executor=[executor_output(claim(), wrong)], verifier=[replied])).told()
    text = audit_text(record)
    assert "守卫：" in text
    assert "模型判为直接观察到" in text


async def test_a_fallback_is_told_without_a_verdict() -> None:
    """A run without a verdict shows its reason and its trail."""
    record = await Story(passing(executor=["no json"] * 3)).told()
    text = audit_text(record)
    assert record.outcome == "FALLBACK"
    assert "状态    未形成结论" in text
    assert f"原因    {record.fallback_reason}" in text
    assert "裁决" not in text


async def test_an_unfinished_run_says_where_it_stopped() -> None:
    """A killed run's record, which has no outcome, can be read."""
    store = MemoryStore()
    record = await Story(passing(), store=store).told()
    killed = record.model_copy(update={"outcome": None, "stage": "executor", "answer": None, "self_evaluation": {}})
    assert "状态    未完成，停在 executor" in audit_text(killed)


def test_outcomes_have_words() -> None:
    """Known outcomes are said in Chinese; an unknown one is shown as it is."""
    assert outcome_zh("PASS") == "结论可信"
    assert outcome_zh("NEW") == "NEW"
