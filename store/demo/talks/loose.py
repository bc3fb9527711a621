"""A talk outside any git work tree: project `global`, no snapshots and no patches."""

# ruff: noqa: E501 - what is said stays in one piece

from __future__ import annotations

from store.demo.blocks import ask, say, think
from store.demo.script import Step, Talk
from store.demo.tools import bash, invalid

PHOTOS = Talk(
    key="photos",
    title="Rename 400 holiday photos by date",
    project="global",
    ago=12 * 24 * 60,
    slug="sunny-pebble",
    directory="/home/mia/Pictures/lofoten",
    acts=(
        ask(
            "Rename all these photos to the date they were taken. 400 of them, do not lose one.",
            after=1,
        ),
        Step(
            (
                think("Dry run first, collisions need a counter, keep a list to undo."),
                invalid(
                    "rename_files",
                    "bash, edit, glob, grep, invalid, list, question, read, skill, "
                    "task, todowrite, webfetch, write",
                ),
                bash(
                    "exiftool -T -DateTimeOriginal *.jpg | sort | uniq -d | wc -l",
                    "7\n",
                    about="Counts photos taken in the same second",
                    ms=2600,
                ),
            )
        ),
        Step(
            (
                bash(
                    "exiftool '-FileName<DateTimeOriginal' -d '%Y-%m-%d_%H-%M-%S%%-c.%%e' *.jpg | tail -1",
                    "  400 image files updated\n",
                    about="Renames with a counter",
                    ms=8800,
                ),
                bash("ls *.jpg | wc -l", "400\n", about="Counts again", ms=30),
            )
        ),
        Step(
            (
                say(
                    "400 before, 400 after; seven pairs of the same second got a counter. Puffins "
                    "do not wait. 🐧"
                ),
            )
        ),
    ),
)

TALKS = (PHOTOS,)
