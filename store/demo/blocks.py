"""Makes single parts: what people type, what models say, files and the rest; tools are in tools.

Shapes are those of opencode 1.18.
"""

from __future__ import annotations

import base64
import struct
import zlib

from store.demo.script import Ask, Block, Step


def say(text: str, *, label: str = "", ms: int = 1200) -> Block:
    """Text of the person or the model."""
    return Block({"type": "text", "text": text}, ms=ms, label=label)


def think(text: str, ms: int = 1800) -> Block:
    """Reasoning of the model."""
    return Block({"type": "reasoning", "text": text}, ms=ms)


def synthetic(text: str) -> Block:
    """Text that the program wrote into the person's message."""
    return Block({"type": "text", "text": text, "synthetic": True})


def image(filename: str, width: int, height: int, bars: tuple[int, ...]) -> Block:
    """An attached PNG with a small bar chart, inline."""
    url = "data:image/png;base64," + base64.b64encode(_png(width, height, bars)).decode()
    return Block({"type": "file", "mime": "image/png", "filename": filename, "url": url})


def attach(path: str, name: str, text: str) -> tuple[Block, ...]:
    """A file named with @ in the prompt: the two texts the program adds, and the file."""
    lines = text.splitlines()
    numbered = "\n".join(f"{number}: {line}" for number, line in enumerate(lines, 1))
    shown = (
        f"<path>{path}</path>\n<type>file</type>\n<content>\n{numbered}\n\n"
        f"(End of file - total {len(lines)} lines)\n</content>"
    )
    value = f"@{name}"
    source = {
        "type": "file",
        "path": path,
        "text": {"value": value, "start": 0, "end": len(value)},
    }
    file = {
        "type": "file",
        "mime": "text/plain",
        "filename": name,
        "url": f"file://{path}",
        "source": source,
    }
    called = f'Called the Read tool with the following input: {{"filePath":"{path}"}}'
    return synthetic(called), synthetic(shown), Block(file)


def mention(agent: str, start: int) -> Block:
    """An agent named with @ in the prompt, at offset `start`."""
    value = f"@{agent}"
    source = {"value": value, "start": start, "end": start + len(value)}
    return Block({"type": "agent", "name": agent, "source": source})


def subtask(agent: str, about: str, prompt: str, command: str) -> Block:
    """A /command that hands its work to a sub-agent."""
    data = {
        "type": "subtask",
        "agent": agent,
        "description": about,
        "command": command,
        "model": {"providerID": "northwind", "modelID": "sonnet-large"},
        "prompt": prompt,
    }
    return Block(data)


def retry(attempt: int, message: str) -> Block:
    """A model call that failed and was tried again."""
    error = {
        "name": "APIError",
        "data": {"message": message, "statusCode": 529, "isRetryable": True},
    }
    return Block({"type": "retry", "attempt": attempt, "error": error})


def snapshot(digest: str) -> Block:
    """The state of the work tree."""
    return Block({"type": "snapshot", "snapshot": digest})


def unknown(kind: str, **fields: object) -> Block:
    """A part of a type that no reader knows yet."""
    return Block({"type": kind, **fields})


def ask(text: str, *more: Block, after: int = 45, label: str = "") -> Ask:
    """A prompt of the person."""
    return Ask((say(text), *more), after=after, label=label)


def compaction(summary: str, *, auto: bool) -> tuple[Ask, Step]:
    """The request to sum up what was said, and the summary."""
    data: dict[str, object] = {"type": "compaction", "auto": auto}
    if auto:
        data["overflow"] = False
    answer = Step((say(summary, ms=2600),), agent="compaction", summary=True)
    return Ask((Block(data),), after=2), answer


def _png(width: int, height: int, bars: tuple[int, ...]) -> bytes:
    """A chart of `bars` (percent of the height), eight shades of grey."""
    step = max(1, width // len(bars))
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            bar = bars[min(x // step, len(bars) - 1)]
            inside = (height - y) * 100 <= bar * height and x % step < step - 1
            rows.append(70 if inside else 235)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pieces = (b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows))), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in pieces)


def _chunk(name: bytes, body: bytes) -> bytes:
    check = zlib.crc32(name + body)
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", check)
