"""`make bench`: ratios and medians of what must stay fast and small."""

import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.bootstrap import open_engine
from bot.progress import NoProgress
from bot.settings import Settings
from engine.check import ClaimCheck
from engine.claim import Claim, EvidenceBinding, ExecutorOutput
from engine.diagnose import diagnose
from engine.gatekeeper.catalog import DEFAULT_RULES
from engine.gatekeeper.judge import judge
from engine.invocation import EvidenceRef, RetrievalDetails, ToolInvocation
from engine.question import Question
from engine.store import open_store
from engine.verification.guard import GuardEvidence, GuardScope, guard

SAMPLE = Path(__file__).resolve().parents[2] / "engine" / "samples" / "payment-pool-leak"
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def main() -> None:
    """Print one line a measurement."""
    gate_and_guard()
    demo()
    overhead()
    million_lines()


def _median(function: Callable[[], object], times: int, clock: Callable[[], float] = time.perf_counter) -> float:
    taken: list[float] = []
    for _ in range(times):
        began = clock()
        function()
        taken.append(clock() - began)
    return statistics.median(taken)


def gate_and_guard() -> None:
    """Bindings over invocations of 64 KB each: time, and how it grows."""
    small, large = _judging(250), _judging(1000)
    _judge_all(*small)
    # because this is work of one processor, and what else the machine does must not count
    quarter = _median(lambda: _judge_all(*small), 7, time.process_time)
    whole = _median(lambda: _judge_all(*large), 7, time.process_time)
    print(f"gatekeeper and guard, 1000 bindings over 1000 invocations of 64 KB: {whole:.3f} s (bound 0.3)")
    print(f"  4 times the work takes {whole / quarter:.2f} times the time (bound 5)")


def _judging(count: int) -> tuple[ExecutorOutput, list[ToolInvocation]]:
    generator = random.Random(1)
    calls: list[ToolInvocation] = []
    claims: list[Claim] = []
    for number in range(count):
        share = generator.randint(1, 99)
        line = f"service=svc-{number} signal=cpu_usage unit=ratio window.mean={share / 100} baseline.mean=0.01"
        filler = " ".join(f"k{item}=v{generator.randint(0, 10**6)}" for item in range(4300))
        text = f"{filler} {line}"
        refs = (EvidenceRef(raw_path="/series/0", text=text[-65_536:]),)
        calls.append(
            ToolInvocation(
                id=f"inv-{number}",
                run_id="run-1",
                tool_name="query_metrics",
                status="ok",
                started_at=NOW,
                ended_at=NOW,
                retrieval_details=RetrievalDetails(evidence_refs=refs),
            )
        )
        binding = EvidenceBinding(
            source_type="tool",
            tool_name="query_metrics",
            source_invocation_id=f"inv-{number}",
            raw_path="/series/0",
            evidence_excerpt=line,
        )
        claims.append(
            Claim(
                claim_id=f"c{number}",
                claim_type="symptom",
                claim_text=f"svc-{number} 的 CPU 使用率均值 {share}%，基线均值 1%",
                support_level="direct",
                evidence_bindings=(binding,),
            )
        )
    return ExecutorOutput(claims=tuple(claims)), calls


def _judge_all(output: ExecutorOutput, calls: list[ToolInvocation]) -> None:
    stage = judge(output, calls, DEFAULT_RULES)
    texts = {call.id: call.evidence_refs[0].text for call in calls}
    evidence = {
        item.claim_id: [
            GuardEvidence(text=item.matched_text, context=texts[item.source_invocation_id], tool_name=item.tool_name)
        ]
        for item in stage.verified_evidence
    }
    checks = [ClaimCheck(claim_id=claim.claim_id, verification="direct_observation") for claim in output.claims]
    _, report = guard(checks, output.claims, evidence, GuardScope(services=tuple(f"svc-{n}" for n in range(20))))
    assert not report.lowered


def demo() -> None:
    """A second `verdict demo`, with the interpreter's start."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bot", "demo", "--no-progress"]
        environment = {"PATH": "/usr/bin:/bin", "VERDICT_DATABASE__URL": f"sqlite+aiosqlite:///{folder}/v.db"}
        root = Path(__file__).resolve().parents[2]

        def once() -> None:
            subprocess.run(
                command, cwd=root, env=environment, check=True, capture_output=True, timeout=60
            )  # because it is our own program

        once()
        print(f"verdict demo, set-up done: {_median(once, 5):.2f} s (bound 2.5)")


def overhead() -> None:
    """What a run takes besides waiting for models and sources."""

    async def once() -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as folder:
            async with (
                open_store(f"sqlite+aiosqlite:///{folder}/v.db") as store,
                open_engine(Settings(), NoProgress(), SAMPLE, store) as (deps, frame),
            ):
                assert frame.now is not None
                question = Question(text="payment-service 为什么报错？", asked_at=frame.now)
                await diagnose(question, deps, frame)
                record = await diagnose(question, deps, frame)
                spent = sum(event.duration_ms for event in record.events if event.node in {"planner", "executor"})
                return record.duration_ms or 0.0, spent

    runs = [asyncio.run(once()) for _ in range(5)]
    total = statistics.median(total for total, _ in runs)
    rest = statistics.median(total - spent for total, spent in runs)
    print(f"a run over the sample: {total:.0f} ms, of which not in planner and executor: {rest:.0f} ms (bound 60)")


def million_lines() -> None:
    """A question over an incident of a million log lines: time, and memory of a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        _write_incident(Path(folder), 1_000_000)
        command = [sys.executable, "-m", "tests.bench.million", folder]
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=120
        )  # because it is our own program
        result = json.loads(done.stdout)
    print(f"a million log lines: {result['seconds']:.1f} s (bound 15), {result['megabytes']:.0f} MB (bound 300)")


def _write_incident(folder: Path, lines: int) -> None:
    start = datetime(2026, 11, 30, 5, 0, tzinfo=UTC)
    middle, end = start + timedelta(hours=1), start + timedelta(hours=2)
    stamps = [moment.isoformat().replace("+00:00", "Z") for moment in (start, middle, end)]
    (folder / "incident.toml").write_text(
        f'title = "many"\n[window]\nfrom = {stamps[1]}\nto = {stamps[2]}\n[baseline]\nfrom = {stamps[0]}\nto = {stamps[1]}\n'
    )
    generator = random.Random(3)
    step = timedelta(hours=2) / lines
    with (folder / "logs.jsonl").open("w") as file:
        for number in range(lines):
            moment = (start + step * number).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            failing = number > lines // 2 and number % 50 == 0
            level, body = ("ERROR", "db timeout after") if failing else ("INFO", "handled order")
            file.write(
                f'{{"timestamp":"{moment}","service":"svc-{number % 7}","severity":"{level}",'
                f'"body":"{body} {generator.randint(1, 10**6)} in {generator.random():.4f} s user=u{generator.randint(1, 10**6)}",'
                f'"attributes":{{"pod":"p{number % 31}","trace_id":"{generator.getrandbits(64):016x}"}}}}\n'
            )


if __name__ == "__main__":
    main()
