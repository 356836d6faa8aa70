"""The answer without a verdict: what was asked, gathered and failed, as data (reading.md 18)."""

from collections.abc import Iterable

from engine.answer import Answer
from engine.composition.notes import notes_on
from engine.composition.page import page
from engine.invocation import ToolInvocation
from engine.run import Run

__all__ = ["fallback_answer"]

_LINES_PER_TOOL = 2
_LINE_CHARS = 240

_STATUS_ZH = {"ok": "有数据", "empty": "没有命中", "failed": "失败", "deduped": "没有新内容"}


def fallback_answer(run: Run) -> Answer:
    """Say what is known without concluding anything. Total: any run gives an answer."""
    failure = run.failure
    why = failure.detail if failure else "流程没有走完"
    failed = tuple(_failed(invocation) for invocation in run.invocations if invocation.status == "failed")
    answer = Answer(
        outcome="FALLBACK",
        conclusion=f"没有形成可靠结论：{why}",
        gaps=failed,
        collected=tuple(_collected(run.invocations)),
        next_steps=_next_steps(run),
        notes=notes_on(run),
    )
    return answer.model_copy(update={"text": page(answer)})


def _collected(invocations: Iterable[ToolInvocation]) -> Iterable[str]:
    for invocation in invocations:
        yield f"{invocation.tool_name}（{invocation.id}）：{_STATUS_ZH[invocation.status]}"
        if invocation.status == "ok":
            telling = invocation.evidence_refs[1:] or invocation.evidence_refs
            for ref in telling[:_LINES_PER_TOOL]:
                yield f"  {ref.raw_path} {ref.text[:_LINE_CHARS]}"


def _failed(invocation: ToolInvocation) -> str:
    who = "数据源无应答" if invocation.error_kind == "source_unavailable" else "调用参数不对"
    return f"{invocation.tool_name} 失败（{who}）：{(invocation.error or '')[:160]}"


def _next_steps(run: Run) -> tuple[str, ...]:
    steps = [f"查看本次采集的全部数据：verdict audit {run.run_id}"]
    if any(invocation.error_kind == "source_unavailable" for invocation in run.invocations):
        steps.append("确认上面失败的数据源是否可用（verdict doctor），恢复后重新提问")
    if not run.invocations:
        steps.append("问题里写明服务名和时间段后重新提问")
    else:
        steps.append("缩小服务或时间范围后重新提问")
    return tuple(steps)
