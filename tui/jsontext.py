"""JSON as text in which nothing can steer a terminal and every character can be encoded."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from store.errors import StoreError

_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def dump(value: Mapping[str, Any], *, indent: int | None = None) -> str:
    """One line of JSON, or indented lines. Raises CORRUPT_PART for what is nested too deeply."""
    try:
        text = _encode(value, indent)
    except RecursionError as error:
        raise StoreError("CORRUPT_PART", "a stored value is nested too deeply to print") from error
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _encode(value: Mapping[str, Any], indent: int | None) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, indent=indent)


def _finite(value: Any) -> Any:
    """Not-a-number and the infinities, which JSON has no word for, as null."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value
