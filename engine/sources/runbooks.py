"""Runbooks: Markdown cut at its headings, found by BM25 over CJK bigrams and Latin words (SQLite FTS5)."""

import asyncio
import re
import sqlite3
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from engine.telemetry import Chunk

__all__ = ["Runbooks", "index_terms"]

_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"^([A-Za-z_][\w-]*)\s*:\s*(.*)$")
_ITEM = re.compile(r"^\s*-\s+(.+)$")
_WORD = re.compile(r"[a-z0-9_]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_MAX_FILE = 2_000_000
_MAX_FILES = 2000
_MAX_TERMS = 64
_CHUNK_CHARS = 800
"""What a reader is shown of a section; a longer one is cut at its paragraphs."""

_SERVICE_BOOST = 1.5


@dataclass(frozen=True)
class _Front:
    """What a runbook says of itself above its text."""

    title: str = ""
    services: frozenset[str] = frozenset()
    words: str = ""
    lines: int = 0
    malformed: bool = False


@dataclass(frozen=True)
class _Section:
    """A chunk with what its file is about."""

    chunk: Chunk
    front: _Front


def index_terms(text: str) -> list[str]:
    """Latin words as they are and Han text as overlapping pairs, so that 连接池 finds 连接池耗尽.

    The last character of a run stands alone, too, so that every character begins some term.
    """
    terms: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).lower()):
        word = match.group()
        if word[0] < "\u3040":
            terms.append(word)
        else:
            terms += [word[index : index + 2] for index in range(len(word))]
    return terms


class Runbooks:
    """An index over folders of Markdown, built when first asked and held in memory."""

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._sections: list[_Section] = []
        self._warnings: list[str] = []
        self._database: sqlite3.Connection | None = None
        self._lock = Lock()

    @property
    def files(self) -> int:
        """How many files the index holds."""
        with self._lock:
            self._open()
        return len({section.chunk.file for section in self._sections})

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each file that is not quite as it should be; it is indexed all the same where it can be."""
        with self._lock:
            self._open()
        return tuple(self._warnings)

    async def lookup(self, text: str, service: str | None, limit: int) -> tuple[Chunk, ...]:
        """See `KnowledgeSource`. A section that names the service comes before one that fits as well."""
        return await asyncio.to_thread(self._lookup, text, service, limit)

    def _lookup(self, text: str, service: str | None, limit: int) -> tuple[Chunk, ...]:
        terms = list(dict.fromkeys(_asked(text)))[:_MAX_TERMS]
        if not terms or limit < 1:
            return ()
        # because what is asked is data: each term is quoted, and none can hold a quote
        query = " OR ".join(f'"{term}" *' if len(term) == 1 else f'"{term}"' for term in terms)
        with self._lock:
            rows: list[tuple[int, float]] = (
                self._open()
                .execute(
                    "SELECT rowid, bm25(section, 1.0, 3.0) FROM section WHERE section MATCH ? ORDER BY 2, 1 LIMIT ?",
                    (query, limit * 4),
                )
                .fetchall()
            )
        ranked = sorted(rows, key=lambda row: row[1] * (_SERVICE_BOOST if self._about(row[0], service) else 1.0))
        return tuple(self._sections[row[0]].chunk for row in ranked[:limit])

    def _about(self, row: int, service: str | None) -> bool:
        if service is None:
            return False
        section, name = self._sections[row], service.casefold()
        return name in section.front.services or name in f"{section.chunk.heading} {section.chunk.text}".casefold()

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            database = sqlite3.connect(":memory:", check_same_thread=False)
            database.execute("CREATE VIRTUAL TABLE section USING fts5(body, heading, tokenize = 'unicode61')")
            for folder in self._folders:
                for path in sorted(folder.rglob("*.md"))[:_MAX_FILES]:
                    self._sections += self._read(path, folder)
            database.executemany(
                "INSERT INTO section(rowid, body, heading) VALUES (?, ?, ?)",
                (
                    (row, _indexed(f"{section.chunk.text} {section.front.words}"), _indexed(section.chunk.heading))
                    for row, section in enumerate(self._sections)
                ),
            )
            self._database = database
        return self._database

    def _read(self, path: Path, folder: Path) -> list[_Section]:
        name = str(path.relative_to(folder))
        try:
            with path.open("rb") as file:
                raw = file.read(_MAX_FILE + 1)
        except OSError as error:
            self._warnings.append(f"{name}: cannot be read: {error.strerror}")
            return []
        if len(raw) > _MAX_FILE:
            self._warnings.append(f"{name}: only its first {_MAX_FILE} bytes are indexed")
        text = raw[:_MAX_FILE].decode("utf-8", errors="replace")
        front = _front(text)
        if front.malformed:
            self._warnings.append(f"{name}: its front matter is not `key: value` lines between two ---")
        return [_Section(chunk, front) for chunk in _cut(text, name, front, front.title or path.stem)]


def _asked(text: str) -> list[str]:
    """The terms of a question: a lone last character of a run says nothing beside the pair before it."""
    terms = index_terms(text)
    pairs = {term for term in terms if len(term) == 2}
    return [term for term in terms if len(term) > 1 or not any(pair[1] == term for pair in pairs)]


def _indexed(text: str) -> str:
    return " ".join(index_terms(text))


def _front(text: str) -> _Front:
    """Read the front matter: `title`, `services`, `tags`, as values, `[a, b]` or `- a` lines."""
    match = _FRONT.match(text)
    if not match:
        return _Front(malformed=text.removeprefix("\ufeff").startswith("---\n"))
    values: dict[str, list[str]] = {}
    key, malformed = "", False
    for line in match.group(1).splitlines():
        pair, item = _KEY.match(line), _ITEM.match(line)
        if pair:
            key = pair.group(1).lower()
            values[key] = [part for part in map(_bare, pair.group(2).strip("[] ").split(",")) if part]
        elif item and key:
            values[key].append(_bare(item.group(1)))
        elif line.strip() and not line.lstrip().startswith("#"):
            malformed = True
    return _Front(
        title=", ".join(values.get("title", [])),
        services=frozenset(name.casefold() for name in values.get("services", [])),
        words=match.group(1),
        lines=match.group().count("\n"),
        malformed=malformed,
    )


def _bare(text: str) -> str:
    return text.strip().strip("\"'").strip()


def _cut(text: str, name: str, front: _Front, title: str) -> Iterator[Chunk]:
    """The sections between headings; a `#` inside a code fence is none."""
    heading, begin, lines = title, front.lines + 1, list[str]()
    fence = ""
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n")[front.lines :], start=front.lines + 1):
        mark = _FENCE.match(line)
        if mark and fence in {"", mark.group(1)}:
            fence = "" if fence else mark.group(1)
        match = None if fence else _HEADING.match(line)
        if not match:
            lines.append(line)
            continue
        yield from _chunks(name, heading, begin, lines)
        if len(match.group(1)) == 1:
            title = match.group(2)
        heading = title if len(match.group(1)) == 1 else f"{title} / {match.group(2)}"
        begin, lines = number, []
    yield from _chunks(name, heading, begin, lines)


def _chunks(name: str, heading: str, begin: int, lines: list[str]) -> Iterator[Chunk]:
    """A section as pieces that can be shown whole, where its lines allow; the first is named by its heading's line."""
    held, start, size = list[str](), begin, 0
    for offset, line in enumerate(lines, start=1):
        if size and size + len(line) > _CHUNK_CHARS:
            yield from _chunk(name, heading, start, held)
            held, start, size = [], begin + offset, 0
        held.append(line)
        size += len(line) + 1
    yield from _chunk(name, heading, start, held)


def _chunk(name: str, heading: str, line: int, lines: list[str]) -> Iterator[Chunk]:
    body = "\n".join(lines).strip()
    if body:
        yield Chunk(f"{name}#{line}", name, heading, line, body)
