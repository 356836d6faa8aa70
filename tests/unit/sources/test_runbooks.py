"""Runbooks and their index."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.sources.runbooks import Runbooks, index_terms

POOL = """---
title: 数据库连接
services: [payment-service]
tags:
  - hikari
---
# 连接池耗尽

先看连接数。

## 处置

1. 扩容
```sh
# 这不是标题
kubectl rollout undo deploy/payment
```
"""


def _books(path: Path, **files: str) -> Runbooks:
    for name, text in files.items():
        path.joinpath(f"{name}.md").write_text(text, encoding="utf-8")
    return Runbooks(path)


async def _found(books: Runbooks, text: str, service: str | None = None, limit: int = 5) -> list[str]:
    return [chunk.chunk_id for chunk in await books.lookup(text, service, limit)]


async def test_a_word_finds_the_longer_word_that_holds_it(tmp_path: Path) -> None:
    """连接池 finds 连接池耗尽, and not what merely speaks of connections."""
    books = _books(tmp_path, pool=POOL, net="# 网络\n连接超时\n")
    assert (await _found(books, "连接池"))[0] == "pool.md#7"


@pytest.mark.parametrize("text", ["池", "尽", "缩"])
async def test_a_single_character_finds_every_place_of_it(tmp_path: Path, text: str) -> None:
    """One character is a question, wherever in a word it stands."""
    assert await _found(_books(tmp_path, a="# 连接池耗尽\n伸缩\n"), text) == ["a.md#1"]


async def test_sections_carry_heading_and_line(tmp_path: Path) -> None:
    """A chunk is named by its file and line, under the title of its page; a comment in code is no heading."""
    (chunk,) = await _books(tmp_path, pool=POOL).lookup("扩容", None, 5)
    assert (chunk.file, chunk.line, chunk.heading) == ("pool.md", 11, "连接池耗尽 / 处置")
    assert "# 这不是标题" in chunk.text
    assert POOL.splitlines()[chunk.line - 1] == "## 处置"


async def test_the_asked_service_comes_first(tmp_path: Path) -> None:
    """Of two sections that fit alike, the one about the service wins; a name inside another's is no match."""
    same = "# 超时\n检查下游\n"
    books = _books(
        tmp_path,
        a=f"---\nservices: [payment-service]\n---\n{same}",
        aa=f"---\nservices: order-db\n---\n{same}",
        b=f"---\nservices:\n  - order\ntags: [late, slow]\n---\n{same}",
    )
    assert (await _found(books, "超时", "order"))[0] == "b.md#6"
    assert (await _found(books, "超时", "Payment-Service"))[0] == "a.md#4"


async def test_front_matter_is_searched_and_names_a_page_without_heading(tmp_path: Path) -> None:
    """Tags find a page; its title stands where it has no heading."""
    books = _books(tmp_path, a="---\ntitle: 缓存雪崩\ntags: [redis]\n---\n先限流\n")
    (chunk,) = await books.lookup("redis", None, 5)
    assert (chunk.heading, chunk.line) == ("缓存雪崩", 5)
    assert books.warnings == ()


@pytest.mark.parametrize("front", ["---\n[[broken\n---\n", "---\ntitle: 未关闭\n\n", "---\n- a\n---\n"])
async def test_malformed_front_matter_is_indexed_with_a_warning(tmp_path: Path, front: str) -> None:
    """A page whose front matter cannot be read is found all the same, and named."""
    books = _books(tmp_path, bad=f"{front}# 磁盘写满\n清理日志\n")
    assert await _found(books, "磁盘")
    assert books.warnings
    assert books.warnings[0].startswith("bad.md")


async def test_a_long_section_becomes_pieces_that_can_be_shown_whole(tmp_path: Path) -> None:
    """What a long section says at its end is found, in a piece that shows it."""
    lines = "\n".join(f"第 {number} 步，检查指标是否恢复到平时水平" for number in range(120))
    books = _books(tmp_path, a=f"# 手册\n{lines}\n最后通知值班经理\n")
    (chunk, *_) = await books.lookup("值班经理", None, 5)
    assert "值班经理" in chunk.text
    assert len(chunk.text) <= 800
    assert chunk.line > 100


async def test_undecodable_bytes_and_missing_files_do_no_harm(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are replaced; a link to nothing is named."""
    tmp_path.joinpath("a.md").write_bytes("# 限流\n".encode() + b"\xff\xfe\n")
    tmp_path.joinpath("b.md").symlink_to(tmp_path / "nowhere.md")
    books = Runbooks(tmp_path)
    assert await _found(books, "限流")
    assert books.files == 1
    assert "b.md" in books.warnings[0]


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.text(max_size=60)
    | st.sampled_from(['"', '" OR *', "NEAR(a b)", "body:x", "-连接池", "a AND", "^*", "';--", "{a b}:c", "\0"])
)
async def test_a_question_is_data(tmp_path: Path, text: str) -> None:
    """No text of a question is read as a query language."""
    found = await _books(tmp_path, pool=POOL).lookup(text, text, 3)
    assert len(found) <= 3


@given(st.text(max_size=80))
def test_terms_hold_nothing_but_letters(text: str) -> None:
    """Terms are words or short runs of characters, without quotes or signs."""
    assert all(term.replace("_", "a").isalnum() or len(term) <= 2 for term in index_terms(text))
    assert not any(set('"*():^-') & set(term) for term in index_terms(text))


async def test_no_runbooks_answer_nothing(tmp_path: Path) -> None:
    """An empty folder, a question without words and a limit of none give no chunks."""
    assert await Runbooks(tmp_path).lookup("连接池", None, 5) == ()
    books = _books(tmp_path, pool=POOL)
    assert await books.lookup("！？", None, 5) == ()
    assert await books.lookup("连接池", None, 0) == ()
