"""What is seen of a run on its way: a bar, the user's callback, warnings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

from tqdm.auto import tqdm

Callback = Callable[[dict[str, Any]], Any]


class Watcher:
    """Is told of work by the extension.

    Parameters
    ----------
    progress : {"auto", True, False}
        Whether a bar is shown; ``"auto"`` shows it where somebody may be looking.
    total : int
        The iterations of all chains, or 0 for work on documents.
    callback : callable, optional
        Gets rows of the trace, and stops the run by returning what is true.
    look : callable, optional
        Raises what Ctrl-C has raised since it was called last.
    """

    def __init__(
        self,
        progress: bool | str,
        total: int = 0,
        callback: Callback | None = None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        self.callback = callback
        self.look = look
        self.at: dict[int, int] = {}
        self.bar = tqdm(total=total or 1, disable=not is_shown(progress), leave=False, unit="it" if total else "")

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def turn(self, chain: int, done: int) -> None:
        """A chain begins, or goes on, after so many iterations: those of an earlier training took none of this one's time."""
        if chain not in self.at:
            self.at[chain] = done
            if done and not self.bar.disable:
                self.bar.initial += done
                self.bar.update(done)

    def progress(self, chain: int, iteration: int, active_topics: int, log_likelihood: float) -> None:
        """A chain has so many iterations."""
        self.bar.update(iteration - self.at.get(chain, 0))
        self.at[chain] = iteration
        self.bar.set_postfix(topics=active_topics, log_likelihood=f"{log_likelihood:.6g}", refresh=False)

    def row(self, chain: int, iteration: int, active_topics: int, log_likelihood: float) -> bool:
        """A chain has a new row in its trace; returns whether to stop."""
        self.progress(chain, iteration, active_topics, log_likelihood)
        if self.callback is None:
            return False
        row = {"chain": chain, "iteration": iteration, "active_topics": active_topics, "log_likelihood": log_likelihood}
        return bool(self.callback(row))

    def share(self, share: float) -> None:
        """So much of the work is done."""
        self.bar.update(share - self.bar.n)

    def warn(self, text: str) -> None:
        """Something is not as it should be."""
        warnings.warn(text, stacklevel=2)


def is_shown(progress: bool | str) -> bool:
    """Whether a bar is shown.

    Raises
    ------
    ValueError
        When ``progress`` is none of its values.
    """
    if isinstance(progress, bool):
        return progress
    if progress != "auto":
        raise ValueError(f'`progress`: {progress!r} cannot be used; give "auto", True or False')
    return sys.stderr is not None and (sys.stderr.isatty() or is_notebook())


def is_notebook() -> bool:
    """Whether this runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")
