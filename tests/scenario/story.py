"""The parts that stories are told with: a CPU incident of payment-service, and ways to assert things about it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from engine.base import JsonObject, JsonValue
from engine.budget import Budget
from engine.diagnose import diagnose
from engine.gatekeeper.catalog import DEFAULT_RULES
from engine.invocation import Scope
from engine.ports import Deps, Model, Role, RuleSet, Tool
from engine.question import Question
from engine.record import RunRecord
from engine.store.memory import MemoryStore
from engine.system import ServiceInfo, SystemMap
from engine.window import TimeFrame, TimeWindow
from tests.fakes import CountingIds, FixedTool, RecordingObserver, ScriptedModel, SteppingClock
from tests.fakes.model import Line

WINDOW = TimeWindow(start=datetime(2026, 11, 30, 6, 0, tzinfo=UTC), end=datetime(2026, 11, 30, 6, 30, tzinfo=UTC))

CPU = "service=payment-service signal=cpu_usage unit=ratio direction=up window.mean=0.92 baseline.mean=0.21"
LOG = "service=payment-service level=ERROR template=PoolTimeout count=412 baseline_count=0"

METRICS: JsonObject = {
    "summary": {"services": "payment-service", "matched_series": 1},
    "series": [
        {
            "service": "payment-service",
            "signal": "cpu_usage",
            "unit": "ratio",
            "direction": "up",
            "window": {"mean": 0.92},
            "baseline": {"mean": 0.21},
        }
    ],
}
LOGS: JsonObject = {
    "summary": {"services": "payment-service", "total": 412},
    "groups": [
        {
            "service": "payment-service",
            "level": "ERROR",
            "template": "PoolTimeout",
            "count": 412,
            "baseline_count": 0,
        }
    ],
}


def metrics_tool(**changes: object) -> FixedTool:
    """`query_metrics` over one CPU series."""
    scope = Scope(services=("payment-service",), window=WINDOW)
    return FixedTool("query_metrics", METRICS, ("/summary", "/series/0"), scope=scope)


def logs_tool() -> FixedTool:
    """`query_logs` over one group of errors."""
    scope = Scope(services=("payment-service",), window=WINDOW)
    return FixedTool("query_logs", LOGS, ("/summary", "/groups/0"), scope=scope)


def plan(*tools: str, scope: str = "broad") -> JsonObject:
    """A legal plan that calls the given tools."""
    steps: list[JsonValue] = [
        {"id": f"s{number}", "goal": tool, "tool": tool, "arguments": {}}
        for number, tool in enumerate(tools or ("query_metrics", "query_logs"), start=1)
    ]
    return {"intent": "找出报错原因", "scope": scope, "services": ["payment-service"], "steps": steps}


def binding(invocation: str | None = "inv-1", path: str | None = "/series/0", excerpt: str = CPU) -> JsonObject:
    """A binding to the CPU series unless told otherwise; a None leaves its key out."""
    made: JsonObject = {
        "source_type": "tool",
        "tool_name": "query_metrics",
        "source_invocation_ids": [],
        "evidence_excerpt": excerpt,
    }
    if invocation is not None:
        made["source_invocation_id"] = invocation
    if path is not None:
        made["raw_path"] = path
    return made


def log_binding(invocation: str = "inv-2", path: str = "/groups/0", excerpt: str = LOG) -> JsonObject:
    """A binding to the error group."""
    return binding(invocation, path, excerpt) | {"tool_name": "query_logs"}


def claim(
    claim_id: str = "c1",
    text: str = "payment-service 的 CPU 使用率均值 92%",
    claim_type: str = "symptom",
    bindings: Sequence[JsonObject] | None = None,
) -> JsonObject:
    """A claim about the CPU, bound to its series unless told otherwise."""
    return {
        "claim_id": claim_id,
        "claim_type": claim_type,
        "claim_text": text,
        "support_level": "direct",
        "evidence_bindings": [*(bindings if bindings is not None else [binding()])],
    }


def executor_output(*claims: JsonObject, **parts: object) -> JsonObject:
    """A legal `executor_evidence_v2` object."""
    made: JsonObject = {
        "answer_version": "executor_evidence_v2",
        "claims": [*(claims or (claim(),))],
        "hypotheses": [],
        "recommended_actions": [],
        "missing_info": [],
    }
    return made | json.loads(json.dumps(parts))


def check(claim_id: str = "c1", verification: str = "direct_observation", /, **ref: object) -> JsonObject:
    """A claim check with a reference to the CPU series unless told otherwise."""
    place: JsonObject = {
        "claim_id": claim_id,
        "tool_name": "query_metrics",
        "source_invocation_ids": ["inv-1"],
        "raw_path": "/series/0",
    }
    return {
        "claim_id": claim_id,
        "verification": verification,
        "detail": "见证据",
        "evidence_refs": [place | json.loads(json.dumps(ref))],
    }


def verdict(*checks: JsonObject, verdict: str = "PASS", score: float = 1.0) -> JsonObject:
    """A legal `verifier_v2` object."""
    return {
        "verdict": verdict,
        "groundedness_score": score,
        "critical_fact_count": 1,
        "claim_checks": [*(checks or (check(),))],
        "facts_checked": [],
        "rationale": "逐条核对",
    }


def composition(conclusion: str = "payment-service 的 CPU 使用率均值 92%", **parts: object) -> JsonObject:
    """A legal `composer_v1` object."""
    made: JsonObject = {
        "conclusion": conclusion,
        "confirmed": [],
        "possible": [],
        "gaps": [],
        "next_steps": [],
    }
    return made | json.loads(json.dumps(parts))


@dataclass
class Story:
    """One question asked of the real graph; what went in and came out can be read afterwards."""

    script: Mapping[Role, Sequence[Line]]
    tools: Sequence[FixedTool] = field(default_factory=lambda: (metrics_tool(), logs_tool()))
    rules: RuleSet = DEFAULT_RULES
    budget: Budget = field(default_factory=Budget)
    question: str = "payment-service 为什么报错？"
    origin: str = "person"
    store: MemoryStore = field(default_factory=MemoryStore)
    clock: SteppingClock = field(default_factory=SteppingClock)
    session_id: str | None = None

    def __post_init__(self) -> None:
        self.model = ScriptedModel(self.script)
        self.observer = RecordingObserver()
        self._playing: Model = self.model
        self.standby: Model | None = None

    def replace_model(self, model: Model) -> None:
        """Let another model than the scripted one play."""
        self._playing = model

    async def told(self) -> RunRecord:
        """Run the whole graph and return the stored record."""
        tools: dict[str, Tool] = {tool.spec.name: tool for tool in self.tools}
        deps = Deps(
            model=self._playing,
            tools=tools,
            store=self.store,
            clock=self.clock,
            ids=CountingIds(),
            observer=self.observer,
            rules=self.rules,
            system=SystemMap(
                services=(
                    ServiceInfo(name="payment-service", depends_on=("order-db",)),
                    ServiceInfo(name="order-db"),
                )
            ),
            budget=self.budget,
            standby=self.standby,
        )
        question = Question.model_validate(
            {
                "text": self.question,
                "asked_at": WINDOW.end,
                "window": WINDOW,
                "session_id": self.session_id,
                "origin": self.origin,
            }
        )
        return await diagnose(question, deps, TimeFrame())

    @property
    def nodes(self) -> list[str]:
        """The nodes that ran, in order."""
        return self.observer.nodes()

    def payload(self, role: Role, number: int = 0) -> JsonObject:
        """What the model was sent in the given call of a role."""
        return json.loads(self.model.calls(role)[number].payload)


def passing(**changes: Sequence[Line]) -> dict[Role, Sequence[Line]]:
    """A script that ends in PASS; each role's lines may be replaced."""
    script: dict[Role, Sequence[Line]] = {
        "planner": [plan()],
        "executor": [executor_output()],
        "verifier": [verdict()],
        "composer": [composition()],
    }
    return script | dict(changes)  # type: ignore[return-value]


def evaluation(record: RunRecord) -> JsonObject:
    """The run's `verifier_evaluation`."""
    found = record.self_evaluation["verifier_evaluation"]
    assert isinstance(found, dict)
    return found
