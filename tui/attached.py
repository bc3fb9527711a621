"""The bytes of images and other files that a message or a tool carried, out of its stored JSON."""

from __future__ import annotations

import base64
import binascii
import json
import mimetypes
import re
from collections.abc import Iterator
from dataclasses import dataclass

from store.model import Attachment, File, Json, Part, Tool

_DATA = re.compile(r"data:([\w.+/-]*)(?:;[\w.+=-]+)*;base64,", re.ASCII)
_UNSAFE = re.compile(r"[^\w.-]+")
DEEP = 12


@dataclass(frozen=True, slots=True)
class Attached:
    """A file as it was attached; `name` is harmless and has a suffix."""

    name: str
    mime: str
    data: bytes


def has_bytes(part: Part) -> bool:
    """Whether there are bytes to be saved rather than the part's text."""
    content = part.content
    if isinstance(content, Tool):
        return bool(content.attachments) and not content.output
    return isinstance(content, File) and not content.text and not content.url and not content.path


def has_image(part: Part) -> bool:
    """Whether it carries an image, by itself or beside a text."""
    content = part.content
    carried = content.attachments if isinstance(content, Tool) else (content,)
    return any(
        one.mime.startswith("image/") for one in carried if isinstance(one, Attachment | File)
    )


def attached(stored: str) -> list[Attached]:
    """Every file that stands in a part's stored JSON as base64; none where it is no JSON."""
    try:
        value = json.loads(stored)
    except (ValueError, RecursionError):
        return []
    return [one for fields in _objects(value, 0) for one in _file(fields)]


def _objects(value: Json, depth: int) -> Iterator[dict[str, Json]]:
    if depth > DEEP:
        return
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from _objects(inner, depth + 1)


def _file(fields: dict[str, Json]) -> Iterator[Attached]:
    for key in ("url", "data", "uri"):
        text = fields.get(key)
        if not isinstance(text, str) or not (found := _DATA.match(text)):
            continue
        try:
            data = base64.b64decode(text[found.end() :], validate=False)
        except (binascii.Error, ValueError):
            continue
        mime = found[1] or str(fields.get("mime") or "")
        yield Attached(_name(fields.get("filename") or fields.get("name"), mime), mime, data)


def _name(given: Json, mime: str) -> str:
    last = re.split(r"[/\\]", given)[-1] if isinstance(given, str) else ""
    name = _UNSAFE.sub("-", last).strip("-.")[-80:] or "attachment"
    return name if "." in name else name + (mimetypes.guess_extension(mime) or ".bin")
