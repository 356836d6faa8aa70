"""Runbooks: Markdown cut at its headings, found by BM25 over CJK bigrams and Latin words (SQLite FTS5)."""

import re
import sqlite3
import unicodedata
from pathlib import Path

from engine.telemetry import Chunk

__all__ = ["Runbooks", "index_terms"]

_HEADING = re.compile(r"^(#{1,6})\s+(.*\S)\s*$")
_FRONT = re.compile(r"\A---\s*\n(.*?)\n---\s*\n", re.DOTALL)
_WORD = re.compile(r"[a-z0-9_]+|[\u3400-\u9fff]+")
_MAX_FILE = 2_000_000
_MAX_FILES = 2000
_MAX_TERMS = 64


def index_terms(text: str) -> list[str]:
    """Latin words as they are and Han text as overlapping pairs, so that 连接池 finds 连接池耗尽."""
    terms: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).lower()):
        word = match.group()
        if word[0] < "\u3400" or len(word) == 1:
            terms.append(word)
        else:
            terms += [word[index : index + 2] for index in range(len(word) - 1)]
    return terms


class Runbooks:
    """An index over folders of Markdown, built when first asked and held in memory."""

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._chunks: list[tuple[Chunk, str]] = []
        self._database: sqlite3.Connection | None = None

    @property
    def files(self) -> int:
        """How many files the index holds."""
        self._open()
        return len({chunk.file for chunk, _ in self._chunks})

    async def lookup(self, text: str, service: str | None, limit: int) -> tuple[Chunk, ...]:
        """See `KnowledgeSource`. A section that names the service comes before one that fits as well."""
        database = self._open()
        terms = list(dict.fromkeys(index_terms(text)))[:_MAX_TERMS]
        if not terms:
            return ()
        query = " OR ".join(f'"{term}"' for term in terms)
        rows: list[tuple[int, float]] = database.execute(
            "SELECT rowid, bm25(chunk, 1.0, 3.0) FROM chunk WHERE chunk MATCH ? ORDER BY 2 LIMIT ?", (query, limit * 4)
        ).fetchall()
        ranked = sorted(rows, key=lambda row: row[1] * (1.5 if self._names(row[0], service) else 1.0))
        return tuple(self._chunks[row[0]][0] for row in ranked[:limit])

    def _names(self, row: int, service: str | None) -> bool:
        return service is not None and service in self._chunks[row][1]

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            database = sqlite3.connect(":memory:", check_same_thread=False)
            database.execute("CREATE VIRTUAL TABLE chunk USING fts5(body, heading, tokenize = 'unicode61')")
            for folder in self._folders:
                for path in sorted(folder.rglob("*.md"))[:_MAX_FILES]:
                    self._chunks += _cut(path, folder)
            for row, (chunk, about) in enumerate(self._chunks):
                body, heading = index_terms(f"{chunk.text} {about}"), index_terms(chunk.heading)
                database.execute(
                    "INSERT INTO chunk(rowid, body, heading) VALUES (?, ?, ?)", (row, " ".join(body), " ".join(heading))
                )
            self._database = database
        return self._database


def _cut(path: Path, folder: Path) -> list[tuple[Chunk, str]]:
    try:
        text = path.read_bytes()[:_MAX_FILE].decode("utf-8", errors="replace")
    except OSError:
        return []
    front = _FRONT.match(text)
    about = front.group(1) if front else ""
    skipped = text[: front.end()].count("\n") if front else 0
    name = str(path.relative_to(folder))
    found: list[tuple[Chunk, str]] = []
    title, heading, begin, lines = path.stem, path.stem, skipped + 1, list[str]()
    for number, line in enumerate(text.splitlines()[skipped:], start=skipped + 1):
        match = _HEADING.match(line)
        if match:
            _keep(found, name, heading, begin, lines, about)
            if len(match.group(1)) == 1:
                title = match.group(2)
            heading = title if len(match.group(1)) == 1 else f"{title} / {match.group(2)}"
            begin, lines = number, []
        else:
            lines.append(line)
    _keep(found, name, heading, begin, lines, about)
    return found


def _keep(found: list[tuple[Chunk, str]], name: str, heading: str, begin: int, lines: list[str], about: str) -> None:
    body = "\n".join(lines).strip()
    if body:
        found.append((Chunk(f"{name}#{begin}", name, heading, begin, body), about))
