"""Running an iterator ahead of its consumer, in a thread of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterable
from typing import TypeVar

T = TypeVar("T")

_WAIT_S = 0.05


def ahead(items: Iterable[T], depth: int) -> Generator[T, None, None]:
    """Yields the items of an iterator that runs at most `depth` items ahead in another thread.

    What the iterator raises is raised here. Closing the generator ends the thread.
    """
    waiting: queue.Queue[tuple[T] | BaseException | None] = queue.Queue(depth)
    closed = threading.Event()

    def put(item: tuple[T] | BaseException | None) -> bool:
        while not closed.is_set():
            try:
                waiting.put(item, timeout=_WAIT_S)
                return True
            except queue.Full:
                continue
        return False

    def produce() -> None:
        try:
            for item in items:
                if not put((item,)):
                    return
            put(None)
        except BaseException as error:
            put(error)

    thread = threading.Thread(target=produce, name="backscroll-read", daemon=True)
    thread.start()
    try:
        while (item := waiting.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item[0]
    finally:
        closed.set()
        thread.join()
