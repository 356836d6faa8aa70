"""The shape of the code base, held by tests instead of vigilance."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from engine.pipeline import GRAPH, mermaid

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*ROOT.glob("engine/**/*.py"), *ROOT.glob("bot/**/*.py")])
TESTS = sorted(ROOT.glob("tests/**/*.py"))
README = ROOT / "README.md"


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_files_stay_small() -> None:
    """No file of the project is longer than 320 lines."""
    long = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {name: lines for name, lines in long.items() if lines > 320} == {}


def test_no_dumping_grounds() -> None:
    """No module is called utils, helpers, common or misc."""
    named = [path for path in [*SOURCES, *TESTS] if path.stem in {"utils", "helpers", "common", "misc", "util"}]
    assert named == []


def test_every_test_says_its_behaviour_in_one_sentence() -> None:
    """Each test function has a docstring of one sentence."""
    silent = [
        f"{path.relative_to(ROOT)}::{function.name}"
        for path in TESTS
        for function in _functions(path)
        if function.name.startswith("test_") and not (ast.get_docstring(function) or "").strip().endswith((".", "。"))
    ]
    assert silent == []


def test_every_module_names_its_concept() -> None:
    """Each source module opens with a docstring."""
    silent = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []


def test_the_environment_is_read_in_one_file() -> None:
    """Only bot/settings.py and the start-up that hands it the environment name os.environ."""
    readers = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if re.search(r"\bos\.(environ|getenv)|from os import .*(environ|getenv)", path.read_text(encoding="utf-8"))
    ]
    assert set(readers) <= {"bot/settings.py", "bot/__main__.py"}


def test_nothing_is_patched() -> None:
    """No test uses monkeypatch or unittest.mock."""
    word = re.compile(r"\b(monkeypatch|unittest\.mock|mock\.patch)\b")
    patched = [
        str(path.relative_to(ROOT))
        for path in TESTS
        if path != Path(__file__).resolve() and word.search(path.read_text(encoding="utf-8"))
    ]
    assert patched == []


def test_readme_shows_the_graph_as_it_is() -> None:
    """README's Mermaid picture is the one that the table renders to."""
    (picture,) = re.findall(r"```mermaid\n(.*?)\n```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert picture == mermaid()


def test_routes_name_only_known_nodes() -> None:
    """Every target in the table is a node of the table or the end."""
    targets = {target for step in GRAPH.values() for target in step.targets}
    assert targets <= {*GRAPH, "end"}


def test_readme_gives_each_dependency_its_reason() -> None:
    """Each run-time dependency of pyproject.toml stands in README's table."""
    declared = re.search(r"^dependencies = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text(), re.S | re.M)
    assert declared is not None
    names = re.findall(r'"([A-Za-z0-9_.-]+)', declared.group(1))
    readme = README.read_text(encoding="utf-8")
    assert [name for name in names if f"| `{name}`" not in readme] == []


def test_the_lock_holds_versions_and_hashes_only() -> None:
    """requirements.lock names no address, and every pinned version has a hash."""
    lock = (ROOT / "requirements.lock").read_text()
    assert "://" not in lock
    pins = re.findall(r"^\S+==\S+.*\\$", lock, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^[A-Za-z0-9]", lock, re.MULTILINE))
