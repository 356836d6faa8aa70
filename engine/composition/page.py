"""An answer as one Chinese text, read top to bottom: verdict, conclusion, facts, directions, gaps, evidence."""

from engine.answer import Answer, CitedEvidence, Outcome

__all__ = ["OUTCOMES_ZH", "page"]

OUTCOMES_ZH: dict[Outcome, str] = {
    "PASS": "结论可信",
    "LOW_CONFID": "低置信",
    "REJECT": "证据不足",
    "FALLBACK": "未形成结论",
}

_EXCERPT_CHARS = 300


def page(answer: Answer) -> str:
    """Render the answer as plain text, with the evidence numbered as the facts cite it."""
    numbers = _numbers(answer)
    lines = [f"【{OUTCOMES_ZH[answer.outcome]}】{answer.conclusion}"]
    facts = [
        f"· {fact.text} {''.join(f'[{numbers[_place(item)]}]' for item in fact.evidence)}".rstrip()
        for fact in answer.confirmed
    ]
    lines += [f"（{note}）" for note in answer.notes]
    sections = (
        ("已确认事实", facts),
        ("可能方向", _bullets(answer.possible)),
        ("证据缺口", _bullets(answer.gaps)),
        ("已采集的数据（未形成结论）", _bullets(answer.collected)),
        ("建议下一步", _bullets(answer.next_steps)),
        ("证据", _evidence(answer, numbers)),
    )
    for title, items in sections:
        if items:
            lines += ["", title, *items]
    return "\n".join(lines)


def _bullets(items: tuple[str, ...]) -> list[str]:
    return [f"· {item}" for item in items]


def _place(item: CitedEvidence) -> tuple[str, str, str]:
    return (item.invocation_id, item.raw_path, item.excerpt)


def _numbers(answer: Answer) -> dict[tuple[str, str, str], int]:
    places = dict.fromkeys(_place(item) for fact in answer.confirmed for item in fact.evidence)
    return {place: number for number, place in enumerate(places, start=1)}


def _evidence(answer: Answer, numbers: dict[tuple[str, str, str], int]) -> list[str]:
    shown: dict[int, str] = {}
    for fact in answer.confirmed:
        for item in fact.evidence:
            excerpt = item.excerpt
            cut = excerpt if len(excerpt) <= _EXCERPT_CHARS else f"{excerpt[:_EXCERPT_CHARS]}…"
            number = numbers[_place(item)]
            path = item.raw_path or "/"
            shown[number] = f"[{number}] {item.tool_name} {item.invocation_id} {path}\n    {cut}"
    return [shown[number] for number in sorted(shown)]
