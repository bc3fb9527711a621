"""A small tide table program with users in Japan; an old session that was put away."""

# ruff: noqa: E501 - what is said stays in one piece

from __future__ import annotations

from store.demo.blocks import ask, retry, say, snapshot, think, unknown
from store.demo.script import Archive, Step, Talk
from store.demo.tools import bash, edit, failed, fetch, skill

ROOT = "/home/mia/src/tides"
TABLE = """🌊 横浜  2026-11-25
満潮  04:31  178 cm   15:02  184 cm
干潮  09:40   92 cm   22:18   21 cm
"""

WIDE = Talk(
    key="wide",
    title="潮汐表: columns shift with 満潮 and 🌊",
    project="tides",
    ago=5 * 24 * 60,
    slug="salty-breeze",
    model="mini-fast",
    acts=(
        ask(
            "日本のユーザーから報告: 満潮の行だけ列がずれます。The table is fine in English.",
            after=1,
        ),
        Step(
            (
                skill(
                    "terminal-width",
                    "Measure text in cells, not in characters: East Asian wide "
                    "characters and most emoji take two.",
                ),
                failed(
                    "webfetch",
                    {"url": "http://tides.invalid/wide", "format": "markdown"},
                    "Transport error (GET http://tides.invalid/wide)",
                ),
                fetch(
                    "https://www.unicode.org/reports/tr11/",
                    "# East Asian Width\n\nWide and fullwidth characters take two columns in a fixed "
                    "pitch font.",
                ),
                think("len() counts characters. 満潮 is two characters and four cells."),
            )
        ),
        Step(
            (
                edit(
                    f"{ROOT}/tides/table.py",
                    '    return text + " " * (width - len(text))\n',
                    '    return text + " " * (width - wcswidth(text))\n',
                    12,
                ),
                bash("python -m tides yokohama", TABLE, about="Prints the table", ms=300),
            ),
            files=(f"{ROOT}/tides/table.py",),
        ),
        Step(
            (
                say(
                    "直りました。`len()` は文字数を数えますが、満潮 は 2 文字で 4 桁です。`wcswidth` にしました。🌊"
                ),
            )
        ),
    ),
)

RELEASE = Talk(
    key="release",
    title="Release 0.3",
    project="tides",
    ago=20 * 24 * 60,
    slug="proud-beacon",
    model="mini-fast",
    acts=(
        ask("Cut release 0.3 and write the notes.", after=1),
        Step(
            error={
                "name": "APIError",
                "data": {
                    "message": "Overloaded, try again later",
                    "statusCode": 529,
                    "isRetryable": True,
                    "responseHeaders": {},
                    "responseBody": "",
                },
            }
        ),
        ask("And now?", after=180),
        Step(
            (
                retry(1, "Overloaded, try again later"),
                snapshot("8f2c55d01b9e4a1c7f60aa93d0e8b1746c2f9a35"),
                bash(
                    "git tag -s v0.3.0 -m 'tides 0.3.0' && git push origin v0.3.0",
                    " * [new tag]         v0.3.0 -> v0.3.0\n",
                    about="Tags the release",
                    ms=1900,
                ),
                unknown(
                    "bookmark",
                    name="v0.3.0",
                    color="teal",
                    note="Made by a program newer than this one.",
                ),
            )
        ),
        Step(
            (
                say(
                    "# tides 0.3.0\n\n- ports in Japan and Norway\n- `--json`\n- the moon is now on the "
                    "correct side"
                ),
            )
        ),
        Archive(),
    ),
)

EMPTY = Talk(
    key="empty",
    title="New session - started and left",
    project="tides",
    ago=29 * 60,
    slug="idle-gull",
)

TALKS = (WIDE, RELEASE, EMPTY)
