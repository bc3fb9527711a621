"""The one error of the store: a code from a closed set, a sentence, and what it is about."""

from __future__ import annotations

from typing import Literal, get_args

Code = Literal[
    "SOURCE_NOT_FOUND",
    "SOURCE_UNREADABLE",
    "SOURCE_UNSUPPORTED",
    "SOURCE_BUSY",
    "SOURCE_CONFLICT",
    "CORRUPT_SESSION",
    "CORRUPT_PART",
    "INVALID_QUERY",
    "INVALID_FILTER",
    "INVALID_LIMIT",
    "INVALID_WINDOW",
    "INVALID_CURSOR",
    "STALE_CURSOR",
    "INVALID_ARGUMENT",
    "INVALID_CONFIG",
    "INVALID_LINEAGE",
    "INVALID_SURFACE",
    "SESSION_NOT_FOUND",
    "MESSAGE_NOT_FOUND",
    "PART_NOT_FOUND",
    "AMBIGUOUS_ID",
    "INDEX_FAILED",
    "INDEX_BUSY",
    "INDEX_NEWER",
    "OUTPUT_FAILED",
    "SEARCH_DISABLED",
    "ABORTED",
]
CODES: tuple[Code, ...] = get_args(Code)


class StoreError(Exception):
    """Something a person can act on.

    `code` is one of CODES, `message` a sentence that says what happened and what to do,
    `about` the path, id or text it concerns ("" where there is none).
    """

    def __init__(self, code: Code, message: str, about: str = "") -> None:
        super().__init__(message)
        self.code: Code = code
        self.message = message
        self.about = about

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"
