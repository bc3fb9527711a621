"""Names of exported files, and writing them: whole or not at all, never over another one."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import StoreError
from store.model import Session
from tests.makers import unprivileged
from tui.export.files import FORMS, safe_name, write

POOL = Session("opencode", "ses_dd2654dd5ffenQW6", "Fix pool timeout", "/src/api", "api")


@pytest.mark.parametrize(
    ("title", "ident", "name"),
    [
        ("Fix pool timeout", "ses_dd2654dd5ffenQW6", "Fix-pool-timeout-5ffenQW6.md"),
        ("../../etc/passwd", "ses_12345678", "etc-passwd-12345678.md"),
        ("a\x00b\x1b[31m\n\u202ec", "s", "a-b-31m-c-s.md"),
        ("连接池 🧪 排查", "ses_12345678", "连接池-排查-12345678.md"),
        ("...", "../..", "session.md"),
        ("", "ses_/a:b", "ses_-a-b.md"),
        ("", "nul", "session-nul.md"),
        ("x" * 500, "ses_12345678", "x" * 91 + "-12345678.md"),
        ("池" * 200, "ses_12345678", "池" * 30 + "-12345678.md"),
    ],
)
def test_names(title: str, ident: str, name: str) -> None:
    assert safe_name(Session("opencode", ident, title, "", "")) == name


def test_the_form_gives_the_suffix() -> None:
    names = [safe_name(POOL, form) for form in FORMS]
    assert [name.removeprefix("Fix-pool-timeout-5ffenQW6") for name in names] == [
        ".md",
        ".json",
        ".jsonl",
        ".txt",
    ]


@given(title=st.text(st.characters(exclude_categories=())), ident=st.text(max_size=40))
def test_any_name_is_one_harmless_component(title: str, ident: str) -> None:
    name = safe_name(Session("opencode", ident, title, "", ""))
    assert os.path.basename(name) == name
    assert 4 <= len(name.encode()) <= 103
    assert name[0] not in ".-"
    assert name.isprintable()


def test_a_file_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.md"
    assert write(path, ["连接", "\n"]) == 7
    assert path.read_bytes() == "连接\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["out.md"]


def test_another_file_is_left_alone_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "out.md"
    path.write_text("mine")
    with pytest.raises(StoreError, match="is there already") as caught:
        write(path, ["new"])
    assert caught.value.code == "OUTPUT_FAILED"
    assert path.read_text() == "mine"
    write(path, ["new"], force=True)
    assert path.read_text() == "new"


def test_a_file_that_appears_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.md"

    def pieces() -> Iterator[str]:
        path.write_text("mine")
        yield "new"

    with pytest.raises(StoreError, match="is there already"):
        write(path, pieces())
    assert path.read_text() == "mine"
    assert os.listdir(tmp_path) == ["out.md"]


def test_a_failure_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "half"
        raise StoreError("SOURCE_BUSY", "busy")

    with pytest.raises(StoreError, match="busy"):
        write(tmp_path / "out.md", pieces())
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "out.md"):
        with pytest.raises(StoreError) as caught:
            write(path, ["x"])
        assert (caught.value.code, caught.value.about) == ("OUTPUT_FAILED", str(path))


def test_a_folder_without_permission(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    with unprivileged(), pytest.raises(StoreError, match="cannot write") as caught:
        write(folder / "out.md", ["x"])
    assert caught.value.code == "OUTPUT_FAILED"
