"""Images as half blocks: two pixels a cell, the upper one its colour, the lower one the ground.

That works wherever there are colours, inside tmux and over SSH, and sends the terminal nothing but
text. Sharper ways (the graphics protocols of some terminals) have to ask the terminal before the
screen starts, which every start would pay for, so there is none of them. Pillow, which decodes, is
not needed for anything else: it is an extra of the package, and without it a sentence says so.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from io import BytesIO

from tui.attached import Attached

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
MOST_PIXELS = 50_000_000
"""Pixels of an image that is still decoded."""
LARGEST = 640
"""Pixels of the longer side that are kept; no terminal shows more."""
NO_PILLOW = "Pillow draws images and is not installed (the extra `images`); w saves it"

Colour = tuple[int, int, int]
Cell = tuple[Colour, Colour]
"""What stands above and below."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image, its pixels as RGB bytes; `file` is what it was decoded from.

    `shown` has the size that is kept, `size` that of the image itself.
    """

    file: Attached
    size: tuple[int, int]
    shown: tuple[int, int]
    pixels: bytes

    def cells(self, columns: int, lines: int) -> list[list[Cell]]:
        """The image at the largest size that fits, by line; it is never made larger."""
        from PIL import Image

        wide, high = self.shown
        scale = min(columns / wide, 2 * lines / high, 1)
        size = max(int(wide * scale), 1), max(int(high * scale), 1)
        image = Image.frombytes("RGB", self.shown, self.pixels).resize(size)
        data = image.tobytes()
        colours: list[Colour] = [
            (data[at], data[at + 1], data[at + 2]) for at in range(0, len(data), 3)
        ]
        rows = [colours[at : at + size[0]] for at in range(0, len(colours), size[0])]
        if len(rows) % 2:
            rows.append(rows[-1])
        return [list(zip(*pair, strict=True)) for pair in zip(rows[::2], rows[1::2], strict=True)]


def decode(file: Attached) -> Picture | str:
    """The picture of a file, else in words why there is none."""
    try:
        from PIL import Image
    except ImportError:
        return NO_PILLOW
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(BytesIO(file.data), formats=FORMATS) as image:
                size = image.size
                if size[0] * size[1] > MOST_PIXELS:
                    return f"{size[0]:,} x {size[1]:,} pixels are too many to draw; w saves it"
                image.thumbnail((LARGEST, LARGEST))
                flat = Image.new("RGB", image.size)
                seen = image.convert("RGBA")
                flat.paste(seen, mask=seen.getchannel("A"))
    except Exception:  # what a broken image makes a decoder raise is not a closed set
        return "this image cannot be decoded; w saves it"
    return Picture(file, size, flat.size, flat.tobytes())
