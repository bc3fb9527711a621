"""Texts as they stand in sessions: prose, code, logs, listings, diffs, Chinese; all from a seed.

Words follow the usual law (the n-th has about 1/n of the first one's share), and names are made of
words, so that the vocabulary grows with the store.
"""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path

_SYLLABLES = """
a be ca con de di en er fa for ge ha in ing ko la le lo ma me mi na ne no o or pa per po ra
re ri ro sa se si so sta ta te ti to tra u un ver vi wa ze
""".split()  # noqa: SIM905
_FREQUENT = """
the to of and a in is that it for this file be with on not as are test from we can if by or
error return value function when should now then data read write line code all change use
have which will new run check first result path name call set message only one so there
""".split()  # noqa: SIM905
_HAN = """
我们 先 看 一下 这个 函数 的 返回值 然后 修改 测试 文件 目录 里 没有 问题
已经 运行 通过 失败 原因 是 缓存 没有 更新 需要 重新 建立 索引 数据库 连接
超时 请求 接口 参数 错误 日志 显示 用户 权限 配置 默认 值 不对 可以 把 它
移动 到 另一个 模块 会话 记录 搜索 结果 排序 时间 部分 工具 输出 内容 很 长
所以 只 读 前面 几 行
""".split()  # noqa: SIM905
_HAN_TEXT = re.compile("[\u4e00-\u9fff]")
PIECE = 400
"""Characters of a ready piece; texts are put together from thousands of them."""


class Texts:
    """Makes texts of a wanted length; the same seed makes the same texts."""

    def __init__(self, seed: int, chinese: Path | None) -> None:
        self.random = random.Random(seed)
        self.words = self._vocabulary(20_000)
        weights = [1.0 / (place + 3) for place in range(len(self.words))]
        self._weights = list(accumulate(weights))
        self._few = self.words[:3_000]
        self._prose = self._pieces(self._sentence, 3_000)
        self._code = self._pieces(self._statement, 4_000)
        self._han = _documents(chinese) if chinese else self._pieces(self._han_line, 1_500)

    def _vocabulary(self, count: int) -> list[str]:
        found = dict.fromkeys(_FREQUENT)
        while len(found) < count:
            found["".join(self.random.choices(_SYLLABLES, k=self.random.choice((2, 3, 3, 4))))] = (
                None
            )
        return list(found)

    def some(self, count: int) -> list[str]:
        """Words as often as people use them."""
        return self.random.choices(self.words, cum_weights=self._weights, k=count)

    def name(self) -> str:
        """The name of something in code."""
        parts = self.random.choices(self.words, k=self.random.choice((1, 2, 2, 3)))
        if self.random.random() < 0.5:
            return "_".join(parts)
        return parts[0] + "".join(part.title() for part in parts[1:])

    def path(self) -> str:
        """The path of a file."""
        names = self.random.choices(self._few, k=self.random.choice((2, 3, 4)))
        return "/".join(names) + self.random.choice((".py", ".ts", ".go", ".rs", ".md", ".json"))

    def hexadecimal(self, digits: int) -> str:
        """A number nobody has seen before."""
        return f"{self.random.getrandbits(4 * digits):0{digits}x}"

    def _pieces(self, line: Callable[[], str], count: int) -> list[str]:
        pieces = []
        for _ in range(count):
            lines: list[str] = []
            while sum(map(len, lines)) < PIECE:
                lines.append(line())
            pieces.append("\n".join(lines) + "\n")
        return pieces

    def _sentence(self) -> str:
        words = self.some(self.random.randint(6, 22))
        if self.random.random() < 0.3:
            words[-1] = f"`{self.name()}`"
        return " ".join(words).capitalize() + self.random.choice(".......:?!—")

    def _statement(self) -> str:
        a, b, c = self.name(), self.name(), self.some(1)[0]
        indent = "    " * self.random.choice((0, 1, 1, 2, 2, 3))
        shapes = (
            f"def {a}({b}, {c}=None):",
            f"{a} = {b}.{c}({self.random.randrange(100)})",
            f"if {a} is None and {b} != {c!r}:",
            f"return {a}[{b}]",
            f"# {' '.join(self.some(7))}",
            f"const {a} = await {b}({{ {c}: true }});",
            f"for {c} in {a}.{b}():",
        )
        return indent + self.random.choice(shapes)

    def _han_line(self) -> str:
        return "".join(self.random.choices(_HAN, k=self.random.randint(5, 25))) + "。"

    def _cut(self, pieces: Sequence[str], size: int) -> str:
        text = "".join(self.random.choices(pieces, k=size // PIECE + 1))
        return text[-size:]

    def prose(self, size: int) -> str:
        """What people and models say, sometimes with code in it."""
        if self.random.random() < 0.25 and size > 300:
            return f"{self._cut(self._prose, size // 2)}\n```python\n{self.code(size // 2)}\n```\n"
        return self._cut(self._prose, size)

    def chinese(self, size: int) -> str:
        """The same in Chinese, of as many bytes, with names of code in it."""
        return f"{self._cut(self._han, max(1, size // 3))}（`{self.name()}`）"

    def code(self, size: int) -> str:
        """Lines of programs."""
        return self._cut(self._code, size)

    def listing(self, size: int) -> str:
        """A file as a tool prints it, with numbers of lines."""
        lines = self.code(size).split("\n")
        return "\n".join(f"{number:5d}| {line}" for number, line in enumerate(lines, 1))

    def diff(self, size: int) -> str:
        """A change to a file."""
        path, marks = self.path(), self.random.choices("   +-", k=size // 20 + 1)
        lines = self.code(size).split("\n")
        body = (mark + line for mark, line in zip(marks * 4, lines, strict=False))
        return f"--- a/{path}\n+++ b/{path}\n@@ -1,9 +1,9 @@\n" + "\n".join(body)

    def log(self, size: int, ms: int) -> str:
        """What a program prints while it runs; every line has numbers of its own."""
        lines: list[str] = []
        length = 0
        while length < size:
            ms += self.random.randrange(1, 2_000)
            lines.append(self._log_line(ms))
            length += len(lines[-1]) + 1
        return "\n".join(lines)

    def _log_line(self, ms: int) -> str:
        number = int(self.random.random() * 100_000)
        word, other = self.random.choice(self._few), self.random.choice(self._few)
        match number % 7:
            case 0:
                return f"[{ms // 1000}.{ms % 1000:03d}] INFO {word}: {other} took {number} ms"
            case 1:
                return f"GET /api/{word}/{number} 200 id={self.hexadecimal(16)}"
            case 2:
                return f"ERROR {word}.{other}: timeout after {number % 30} s (attempt {ms % 5})"
            case 3:
                return f"tests/test_{word}.py::test_{other} PASSED [{number % 100:3d}%]"
            case 4:
                return f"  at {word}{other.title()} (src/{word}.ts:{number % 900}:{ms % 80})"
            case 5:
                return f"{self.hexadecimal(40)} {word}/{other}"
        return f"drwxr-xr-x {ms % 20} user user {number} {word}-{ms % 10}.{number % 10}"


def _documents(folder: Path) -> list[str]:
    """Pieces of the Chinese lines of all text below a folder (plain or .gz), by order of names."""
    lines: list[str] = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size < 4_000_000:
            raw = path.read_bytes()
            if path.suffix == ".gz":
                raw = gzip.decompress(raw)
            text = raw.decode("utf-8", "ignore")
            lines += [one for one in text.split("\n") if len(_HAN_TEXT.findall(one)) * 4 > len(one)]
    joined = "\n".join(lines) + "\n"
    pieces = [joined[at : at + PIECE] for at in range(0, len(joined), PIECE)]
    if len(pieces) < 20:
        raise SystemExit(f"{folder} has too little Chinese text")
    return pieces
