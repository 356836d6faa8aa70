"""The command line: exit statuses, one-line errors, JSON shapes, and what appears on the terminal."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.cli import EXIT_CONFIG, EXIT_FAILED, EXIT_FALLBACK, EXIT_OK, run
from bot.terminal import safe_text
from tests.postgres import ROOT

SAMPLE = ROOT / "engine" / "samples" / "payment-pool-leak"

Verdict = Callable[..., tuple[int, str, str]]


@pytest.fixture
def verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Verdict:
    """Runs one command with a database of its own; returns status, stdout and stderr."""

    def call(*arguments: str, **environ: str) -> tuple[int, str, str]:
        settings = {"VERDICT_DATABASE__URL": f"sqlite+aiosqlite:///{tmp_path}/verdict.db", **environ}
        status = run(arguments, settings)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def _run_id(out: str) -> str:
    return next(word for word in out.split() if word.startswith("run-"))


def test_the_demo_names_the_leaking_pool_from_evidence(verdict: Verdict) -> None:
    """The shipped incident is answered in Chinese, with the pool, the deploy and numbered evidence."""
    status, out, err = verdict("demo")
    assert status == EXIT_OK
    assert out.startswith("【结论可信】")
    for words in ("连接池", "v1.5.0", "已确认事实", "[1]", "query_metrics", "复核：verdict audit run-"):
        assert words in out
    for node in ("规划", "取证", "绑定校验", "复核", "撰写"):
        assert node in err
    assert "\x1b" not in err


def test_json_has_the_contracts_keys(verdict: Verdict) -> None:
    """`ask --json` prints one object with exactly the keys of the contract, and nothing on stderr when quiet."""
    status, out, err = verdict(
        "ask", "--incident", str(SAMPLE), "--json", "--no-progress", "payment-service 为什么报错？"
    )
    found = json.loads(out)
    assert (status, err) == (EXIT_OK, "")
    assert set(found) == {
        "run_id", "session_id", "question", "window", "outcome", "fallback_reason", "answer", "hypotheses",
        "evaluation", "invocations", "events", "usage", "duration_ms",
    }  # fmt: skip
    assert set(found["window"]) == {"from", "to"}
    assert {"text", "confirmed", "possible", "gaps", "next_steps", "rendered_by"} <= set(found["answer"])
    fact = found["answer"]["confirmed"][0]
    assert set(fact) == {"text", "claim_id", "evidence"}
    assert set(fact["evidence"][0]) == {"invocation_id", "tool_name", "raw_path", "excerpt"}
    assert found["hypotheses"][0]["service"] == "payment-service"
    assert {"id", "tool_name", "arguments", "status", "evidence_refs"} == set(found["invocations"][0])
    assert {"node", "status", "attempt", "started_at", "duration_ms", "reason"} == set(found["events"][0])
    assert found["usage"]["model_calls"] >= 4
    assert found["evaluation"]["verdict"] == found["outcome"] == "PASS"


def test_every_confirmed_excerpt_stands_in_the_printed_evidence(verdict: Verdict) -> None:
    """Each confirmed fact leads to a printed invocation, path and text that hold its excerpt."""
    _, out, _ = verdict("demo", "--json", "--no-progress")
    found = json.loads(out)
    texts = {
        (call["id"], ref["raw_path"]): ref["text"] for call in found["invocations"] for ref in call["evidence_refs"]
    }
    places = [item for fact in found["answer"]["confirmed"] for item in fact["evidence"]]
    assert places
    for item in places:
        assert item["excerpt"] in texts[item["invocation_id"], item["raw_path"]]


def test_a_run_can_be_audited_and_listed_afterwards(verdict: Verdict) -> None:
    """The audit shows classes, evidence, rules, timings and prompts; the list shows the run."""
    _, out, _ = verdict("demo", "--no-progress")
    run_id = _run_id(out)
    status, audit, _ = verdict("audit", run_id)
    assert status == EXIT_OK
    for words in ("直接观察到", "绑定校验", "轨迹", "builtin-planner", "query_metrics", "/series/"):
        assert words in audit
    record = json.loads(verdict("audit", run_id, "--json")[1])
    assert record["stage"] == "end"
    assert set(record["self_evaluation"]) == {"rule_evaluation", "verifier_evaluation"}
    assert run_id in verdict("runs")[1]
    (listed,) = json.loads(verdict("runs", "--json")[1])
    assert (listed["run_id"], listed["outcome"]) == (run_id, "PASS")


@pytest.mark.parametrize("text", ["你好", "谢谢！", "help", "Hello, 在吗？"])
def test_a_greeting_gets_help_and_no_run(verdict: Verdict, text: str) -> None:
    """Small talk is answered with what can be asked, and leaves nothing in the database."""
    status, out, _ = verdict("demo", "--no-progress", text)
    assert status == EXIT_OK
    assert "可以这样问" in out
    assert json.loads(verdict("runs", "--json")[1]) == []


def test_a_secret_in_a_question_is_not_kept(verdict: Verdict, tmp_path: Path) -> None:
    """What looks like a secret in the question reaches neither the answer nor the database."""
    pasted = "AKIAABCDEFGHIJKLMNOP"
    _, out, err = verdict("demo", "--json", "--no-progress", f"payment-service 为什么报错？ key={pasted}")
    assert pasted not in out + err
    assert pasted.encode() not in (tmp_path / "verdict.db").read_bytes()
    assert "<SECRET:" in json.loads(out)["question"]


def test_a_follow_up_keeps_its_session(verdict: Verdict) -> None:
    """A second question of a session lands in the same one."""
    first = json.loads(verdict("demo", "--json", "--no-progress", "--session", "s-1")[1])
    second = json.loads(verdict("demo", "--json", "--no-progress", "--session", "s-1", "有没有告警")[1])
    assert first["session_id"] == second["session_id"] == "s-1"
    assert first["run_id"] != second["run_id"]


def test_a_question_about_another_time_finds_nothing_and_says_so(verdict: Verdict) -> None:
    """A window without data ends in Fallback or in statements about absence, never in an invented cause."""
    status, out, _ = verdict(
        "demo", "--json", "--no-progress", "--from", "2026-11-01T00:00:00Z", "--to", "2026-11-01T01:00:00Z"
    )
    found = json.loads(out)
    assert status in {EXIT_OK, EXIT_FALLBACK}
    assert found["hypotheses"] == []
    assert not any("PoolTimeout" in fact["text"] for fact in found["answer"]["confirmed"])


def test_a_folder_without_sources_ends_in_fallback(verdict: Verdict, tmp_path: Path) -> None:
    """An incident folder that holds no evidence at all gives a Fallback with status 3."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "incident.toml").write_text(
        "[window]\nfrom = 2026-11-30T06:00:00Z\nto = 2026-11-30T06:30:00Z\n"
    )
    (tmp_path / "empty" / "changes.jsonl").write_text("")
    status, out, _ = verdict("ask", "--no-progress", "--incident", str(tmp_path / "empty"), "为什么报错？")
    assert status == EXIT_FALLBACK
    assert out.startswith("【未形成结论】")


BAD: dict[str, tuple[list[str], str]] = {
    "no command": ([], "required"),
    "unknown command": (["frobnicate"], "invalid choice"),
    "empty question": (["demo", "   "], "empty"),
    "long question": (["demo", "问" * 4001], "longer than 4000"),
    "missing folder": (["ask", "--incident", "/nonexistent/x", "问"], "no such folder"),
    "no sources": (["ask", "为什么"], "no source is configured"),
    "bad since": (["demo", "--since", "soon"], "'soon'"),
    "since and from": (["demo", "--since", "1h", "--from", "14:00"], "use one"),
    "to alone": (["demo", "--to", "14:00"], "--from"),
    "backwards": (["demo", "--from", "2026-12-01T05:00:00Z", "--to", "2026-12-01T04:00:00Z"], "before"),
    "unknown run": (["audit", "run-nope"], "run-nope"),
    "bad limit": (["runs", "--limit", "0"], "at least 1"),
    "bad age": (["prune", "--older-than", "old"], "duration"),
    "missing config": (["demo", "--config", "/nonexistent.toml"], "no such file"),
    "eval of nothing": (["eval", "/nonexistent"], "incident.toml"),
    "eval question": (["eval", str(SAMPLE), "--question", "9"], "questions 1 to"),
    "serve": (["serve"], "later release"),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_input_is_one_line_and_status_2(verdict: Verdict, name: str) -> None:
    """Wrong usage says what is wrong in one line on stderr, without a traceback, and exits with 2."""
    arguments, words = BAD[name]
    status, out, err = verdict(*arguments)
    assert status == EXIT_CONFIG
    assert out == ""
    assert err.count("\n") == 1
    assert words in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[window", "incident.toml"),
        ('title = "x"\n', "[window]"),
        ("[window]\nfrom = 2026-11-30T06:00:00\nto = 2026-11-30T07:00:00Z\n", "offset"),
        ("[window]\nfrom = 2026-11-30T07:00:00Z\nto = 2026-11-30T06:00:00Z\n", "before"),
        ('timezone = "Mars/Olympus"\n[window]\nfrom = 2026-11-30T06:00:00Z\nto = 2026-11-30T07:00:00Z\n', "Mars"),
    ],
)
def test_a_malformed_incident_is_named(verdict: Verdict, tmp_path: Path, text: str, words: str) -> None:
    """A broken incident.toml is named with its place."""
    (tmp_path / "incident.toml").write_text(text)
    status, _, err = verdict("ask", "--incident", str(tmp_path), "为什么")
    assert status == EXIT_CONFIG
    assert words in err
    assert err.count("\n") == 1


def test_a_corrupt_database_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is no database is said to be so, without a traceback."""
    path = tmp_path / "broken.db"
    path.write_bytes(b"this is no database at all" * 100)
    status = run(["runs"], {"VERDICT_DATABASE__URL": f"sqlite+aiosqlite:///{path}"})
    err = capsys.readouterr().err
    assert status in {EXIT_FAILED, EXIT_CONFIG}
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_doctor_says_what_is_broken(verdict: Verdict, tmp_path: Path) -> None:
    """A configured source that is not there is a FAIL line and a status that is not 0."""
    config = tmp_path / "verdict.toml"
    config.write_text('[[sources]]\nkind = "recorded"\npath = "/nonexistent"\n')
    status, out, _ = verdict("doctor", "--config", str(config))
    assert status != EXIT_OK
    assert "FAIL  source 0 (recorded): /nonexistent" in out
    assert verdict("doctor")[0] == EXIT_OK


def test_prune_deletes_old_runs_only(verdict: Verdict) -> None:
    """What is younger than the age stays."""
    run_id = _run_id(verdict("demo", "--no-progress")[1])
    assert "0" in verdict("prune", "--older-than", "1d")[1]
    assert verdict("audit", run_id)[0] == EXIT_OK
    assert "1" in verdict("prune", "--older-than", "1s")[1] or verdict("audit", run_id)[0] == EXIT_OK


def test_eval_prints_a_table_and_json(verdict: Verdict) -> None:
    """The shipped samples score: cause found, no false alarm, nothing unsupported."""
    status, out, _ = verdict("eval", str(SAMPLE.parent), "--json")
    found = json.loads(out)
    assert status == EXIT_OK
    assert found["totals"]["root_cause_at_1"] == 1
    assert found["totals"]["false_alarms"] == 0
    assert found["totals"]["unsupported_confirmed_claims"] == 0
    assert {"incident", "outcome", "root_cause_rank", "mentioned", "missed", "forbidden_claims", "confirmed",
            "confirmed_unsupported", "model_calls", "seconds"} <= set(found["incidents"][0])  # fmt: skip
    assert "payment-healthy" in verdict("eval", str(SAMPLE.parent))[1]


def test_the_question_may_come_from_the_standard_input(tmp_path: Path) -> None:
    """`-` reads the question; the real program works with LANG=C and without a terminal."""
    environ = {
        "PATH": os.environ["PATH"],
        "LANG": "C",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "VERDICT_DATABASE__URL": f"sqlite+aiosqlite:///{tmp_path}/v.db",
    }
    done = subprocess.run(
        [sys.executable, "-m", "bot", "ask", "-", "--incident", str(SAMPLE)],
        input="payment-service 为什么报错？".encode(),
        cwd=ROOT,
        env=environ,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == EXIT_OK, done.stderr.decode()
    assert "连接池" in done.stdout.decode()
    assert b"Traceback" not in done.stderr


def test_a_killed_run_says_what_it_was_doing(tmp_path: Path, verdict: Verdict) -> None:
    """After a kill in the middle the database opens, and unfinished runs name the node they were in."""
    environ = {"PATH": os.environ["PATH"], "VERDICT_DATABASE__URL": f"sqlite+aiosqlite:///{tmp_path}/verdict.db"}
    verdict("demo", "--no-progress")
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "demo"], cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    process.stderr.readline()
    process.kill()
    process.communicate()
    with sqlite3.connect(tmp_path / "verdict.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    listed: list[dict[str, Any]] = json.loads(verdict("runs", "--json")[1])
    assert len(listed) == 2
    stages = {"planner", "executor", "gatekeeper", "verifier", "composer", "end"}
    assert {item["stage"] for item in listed} <= stages
    for item in listed:
        status, out, _ = verdict("audit", item["run_id"])
        assert status == EXIT_OK
        assert item["outcome"] is not None or f"停在 {item['stage']}" in out


def test_telemetry_cannot_steer_the_terminal() -> None:
    """Escape sequences, direction marks and zero-width characters are gone; Chinese and line feeds stay."""
    assert safe_text("错误\x1b[31m红\x1b]0;title\x07\u202e\u200b\r\n完") == "错误[31m红]0;title\n完"
