"""Ctrl-C during work that is worth keeping: what it raises waits until the work has been kept."""

from __future__ import annotations

import signal
import threading
from typing import Any


class CtrlC:
    """Hears Ctrl-C in the main thread and has its handler called at once, but keeps what that raises until it is looked for, at the
    latest at the end. Elsewhere Python calls no handlers."""

    def __init__(self) -> None:
        self.raised: BaseException | None = None
        self.before: Any = None

    def __enter__(self) -> CtrlC:
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                self.before = before
                signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)
        self.look()

    def look(self) -> None:
        """Raises what was raised."""
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised

    def _hear(self, number: int, frame: Any) -> None:
        handler = self.before
        # Of a run in the callback of another, the inner one ends first.
        while isinstance(getattr(handler, "__self__", None), CtrlC):
            handler = handler.__self__.before
        try:
            handler(number, frame)
        except BaseException as error:
            self.raised = self.raised or error
