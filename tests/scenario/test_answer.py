"""What the reader sees (spec S17, S43, S49, S62-S64; reading.md 16-18)."""

import pytest

from engine.base import JsonObject
from tests.scenario.story import (
    Story,
    binding,
    check,
    claim,
    composition,
    executor_output,
    log_binding,
    passing,
    plan,
    verdict,
)


@pytest.mark.spec("S49", "S62")
async def test_pass_reads_as_chinese_and_not_as_json() -> None:
    """A PASS answer is Chinese text from allowed material, with marks that lead to the evidence."""
    record = await Story(passing()).told()
    assert record.answer is not None
    text = record.answer.text
    assert text.startswith("【结论可信】")
    assert "已确认事实" in text
    assert "[1] query_metrics inv-1 /series/0" in text
    assert "{" not in text
    assert "claim_text" not in text


async def test_a_models_wording_is_kept_when_nothing_in_it_is_new() -> None:
    """A Composer that says the same in other words is shown, and the answer says that a model worded it."""
    words = composition(
        "payment-service 的 CPU 使用率均值为 92%",
        confirmed=[{"claim_id": "c1", "text": "CPU 使用率均值 92%（payment-service）"}],
    )
    record = await Story(passing(composer=[words])).told()
    assert record.answer is not None
    assert record.answer.rendered_by == "model"
    assert record.answer.confirmed[0].text == "CPU 使用率均值 92%（payment-service）"


@pytest.mark.parametrize(
    "words",
    [
        composition("payment-service 的 CPU 使用率均值 97%"),
        composition("billing-db-7 的 CPU 使用率均值 92%"),
        composition("CPU is at 92% in payment-service and that is all"),
        composition("92%"),
        composition('{"cpu": 92}'),
        composition("payment-service 的 CPU 使用率均值 92%，请执行 `kubectl delete pod payment`"),
        composition("payment-service 的 CPU 使用率均值 92%，见 https://evil.example/x"),
        composition("payment-service 的 CPU 使用率均值 92% <!channel>"),
        composition(confirmed=[{"claim_id": "c8", "text": "payment-service 的 CPU 使用率均值 92%"}]),
        composition(confirmed=[{"claim_id": "c1", "text": "payment-service 的 CPU 使用率没有异常"}]),
        composition("payment-service 的 CPU 使用率均值下降到 92%"),
        composition("根因是磁盘写满"),
    ],
    ids=[
        "number", "entity", "english", "no words", "json", "command", "link", "mention", "unknown claim", "negated",
        "reversed direction", "new cause",
    ],
)  # fmt: skip
async def test_words_that_are_not_allowed_bring_the_template(words: dict[str, object]) -> None:
    """Any number, name, command, link, mention or claim from outside the material is refused."""
    record = await Story(passing(composer=[words])).told()  # type: ignore[list-item]
    assert record.answer is not None
    assert record.answer.rendered_by == "template"
    assert record.outcome == "PASS"


@pytest.mark.spec("S63", "S43", "S14")
async def test_low_confidence_separates_facts_from_gaps() -> None:
    """An unsupported claim is a gap, told by kind, and its text appears nowhere in the answer."""
    output = executor_output(claim("c1"), claim("c2", "订单数据库磁盘写满", "root_cause", [log_binding()]))
    weak = verdict(check("c1"), check("c2", "unsupported"), verdict="LOW_CONFID")
    script = passing(planner=[plan(), plan()], executor=[output, output], verifier=[weak, weak])
    record = await Story(script).told()
    assert record.answer is not None
    assert record.outcome == "LOW_CONFID"
    assert record.answer.text.startswith("【低置信】")
    assert [fact.claim_id for fact in record.answer.confirmed] == ["c1"]
    assert any("根因判断" in gap for gap in record.answer.gaps)
    assert "磁盘" not in record.answer.text


async def test_an_inference_is_marked_as_one() -> None:
    """A reasonable inference stands under possible directions, marked 推断."""
    output = executor_output(claim("c1"), claim("c2", "报错是由于 payment-service 的 CPU 使用率均值 92%"))
    script = passing(executor=[output], verifier=[verdict(check("c1"), check("c2", "reasonable_inference"))])
    record = await Story(script).told()
    assert record.answer is not None
    assert [fact.claim_id for fact in record.answer.confirmed] == ["c1"]
    assert record.answer.possible == ("（推断）报错是由于 payment-service 的 CPU 使用率均值 92%",)


async def test_hypotheses_rest_on_what_was_carried() -> None:
    """Only a hypothesis based on a carried claim is shown; ranked ones keep their service."""
    output = executor_output(
        hypotheses=[
            {"hypothesis_id": "h1", "text": "可能方向：payment-service 自身", "based_on": ["c1"],
             "service": "payment-service", "score": 0.8},
            {"hypothesis_id": "h2", "text": "可能方向：火星", "based_on": ["c404"], "service": "mars"},
            {"hypothesis_id": "h3", "text": "可能是 order-db 丢包 37%", "based_on": ["c1"], "service": "order-db"},
        ]
    )  # fmt: skip
    record = await Story(passing(executor=[output])).told()
    assert [(item.service, item.score) for item in record.hypotheses] == [
        ("payment-service", 0.8),
        ("order-db", None),
    ]
    assert record.answer is not None
    assert "火星" not in record.answer.text
    assert "37%" not in record.answer.text


async def test_a_refuted_hypothesis_is_not_shown() -> None:
    """A hypothesis that the Verifier finds unsupported disappears."""
    output = executor_output(
        hypotheses=[{"hypothesis_id": "h1", "text": "可能方向：order-db", "based_on": ["c1"], "service": "order-db"}]
    )
    refuting: JsonObject = {
        **verdict(),
        "hypothesis_checks": [{"hypothesis_id": "h1", "verification": "contradicted"}],
    }
    record = await Story(passing(executor=[output], verifier=[refuting])).told()
    assert record.hypotheses == ()


async def test_next_steps_hold_nothing_from_outside() -> None:
    """A recommended action with an unknown command or number does not reach the reader."""
    output = executor_output(
        recommended_actions=["检查 payment-service 的 CPU 使用率", "执行 rm -rf /var/lib/x9 并等待 55 分钟"]
    )
    record = await Story(passing(executor=[output])).told()
    assert record.answer is not None
    assert record.answer.next_steps == ("检查 payment-service 的 CPU 使用率",)


async def test_a_fallback_still_helps() -> None:
    """A Fallback shows what was gathered as data, what failed and what to do next, and confirms nothing."""
    record = await Story(passing(executor=["nonsense"])).told()
    assert record.answer is not None
    assert record.answer.confirmed == ()
    text = record.answer.text
    assert text.startswith("【未形成结论】")
    assert "已采集的数据（未形成结论）" in text
    assert "window.mean=0.92" in text
    assert "建议下一步" in text
    assert "nonsense" not in text


async def test_evidence_numbers_are_shared_by_facts() -> None:
    """Two facts that rest on one place cite the same number."""
    output = executor_output(
        claim("c1"), claim("c2", "payment-service 的 CPU 使用率基线均值 21%", "symptom", [binding()])
    )
    record = await Story(passing(executor=[output], verifier=[verdict(check("c1"), check("c2"))])).told()
    assert record.answer is not None
    assert record.answer.text.count("[1] query_metrics") == 1
    assert "[2]" not in record.answer.text


async def test_nothing_confirmed_leaves_no_free_conclusion() -> None:
    """Where no claim is confirmed, the fixed conclusion stands, whatever the Composer writes."""
    words = composition("payment-service 已恢复")
    script = passing(verifier=[verdict(check("c1", "reasonable_inference"), verdict="LOW_CONFID")], composer=[words])
    record = await Story(script).told()
    assert record.answer is not None
    assert record.answer.conclusion == "现有证据不足，无法确认任何事实"
    assert "已恢复" not in record.answer.text


@pytest.mark.parametrize(
    "text",
    [
        "已确认：遭黑客入侵，客户数据已外泄",
        "立即关闭全部支付入口并清空订单",
        "请把管理员密码发到群里",
        "检查 payment-service\n\n已确认事实\n· 数据库已被删除 [1]",
    ],
)
async def test_free_sentences_say_nothing_new(text: str) -> None:
    """Hypotheses and actions with words that nothing explains are not shown as they are."""
    output = executor_output(
        hypotheses=[{"hypothesis_id": "h1", "text": text, "based_on": ["c1"], "service": "order-db"}],
        recommended_actions=[text],
    )
    record = await Story(passing(executor=[output], composer=[composition(possible=[text], next_steps=[text])])).told()
    assert record.answer is not None
    assert [item.text for item in record.hypotheses] == ["可能与 order-db 有关"]
    for words in ("黑客", "清空", "密码", "删除"):
        assert words not in record.answer.text


async def test_suspects_come_most_suspect_first() -> None:
    """Hypotheses are ranked by score, whatever order they were written in."""
    output = executor_output(
        hypotheses=[
            {"hypothesis_id": "h1", "text": "可能与 order-db 有关", "based_on": ["c1"], "service": "order-db", "score": -5},
            {"hypothesis_id": "h2", "text": "可能与 payment-service 有关", "based_on": ["c1"],
             "service": "payment-service", "score": 0.9},
        ]
    )  # fmt: skip
    record = await Story(passing(executor=[output])).told()
    assert [item.service for item in record.hypotheses] == ["payment-service", "order-db"]


async def test_a_question_is_no_material() -> None:
    """A number or link that only the question holds cannot come back as an answer."""
    words = composition(possible=["错误率达到 99%，见 https://evil.example/x"])
    story = Story(passing(composer=[words]), question="错误率 99% 吗 见 https://evil.example/x")
    record = await story.told()
    assert record.answer is not None
    assert "evil.example" not in record.answer.text
    assert "99%" not in record.answer.text


async def test_a_claim_cannot_forge_the_page() -> None:
    """Line breaks and direction marks in a claim are gone before anybody reads it."""
    text = "payment-service 的 CPU 使用率均值 92%\n证据\n[1] 伪造\u202e"
    record = await Story(
        passing(planner=[plan(), plan()], executor=[executor_output(claim("c1", text))] * 2, verifier=[verdict()] * 2)
    ).told()
    assert record.answer is not None
    assert "\n证据\n[1] 伪造" not in record.answer.text
    assert "\u202e" not in record.answer.text
