"""A run's own files, kept in memory: its record, its logs and its last checkpoint, from which everything else is made."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from hdp_gpu import _core

T = TypeVar("T")

# What a run cannot be read back or gone on with without, and the documents' own text; results can be made again.
OWN = ("run.json", "trace.csv", "timing.csv", "tokens_per_topic.csv", "dropped-documents.csv", "texts.bin")


class Stored:
    """The files of a run, and the corpus that it was trained on.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    files : dict of str to bytes
        The files by their paths in the run's folder.
    name : str
        What the folder was called.
    home : Path, optional
        The folder that the user has named for the run, where it goes on; a copy made by pickle has none.
    """

    def __init__(self, corpus: _core.Corpus, files: dict[str, bytes], name: str, home: Path | None = None) -> None:
        self.corpus = corpus
        self.files = files
        self.name = name
        self.home = home
        # The parameters that the run was asked for with.
        self.asked: dict[str, str | None] = {}
        self._opened: _core.Run | None = None
        self._made: dict[Any, Any] = {}

    @classmethod
    def read(cls, folder: Path, corpus: _core.Corpus, home: Path | None = None) -> Stored:
        """Reads the run in a folder."""
        files = {}
        for chain in chains(folder):
            paths = [chain / name for name in OWN if (chain / name).exists()]
            for path in [*paths, newest_checkpoint(chain)]:
                files[path.relative_to(folder).as_posix()] = path.read_bytes()
        return cls(corpus, files, folder.resolve().name, home)

    @cached_property
    def record(self) -> dict[str, Any]:
        """What run.json says."""
        record: dict[str, Any] = json.loads(self.files["run.json"])
        return record

    @cached_property
    def is_whole(self) -> bool:
        """Whether all chains have begun, and none was stopped before its end."""
        states = [json.loads(content)["status"] for name, content in self.files.items() if Path(name).name == "run.json"]
        return "interrupted" not in states and len(states) >= self.record["settings"]["chains"]

    def run(self, threads: int) -> _core.Run:
        """The run, read when it is first asked for: its last state may have to be finished."""
        if self._opened is None:
            with self.opened() as folder:
                self._opened = _core.Run.open(folder, self.corpus, threads)
        return self._opened

    def made(self, key: Any, make: Callable[[], T]) -> T:
        """What is made of the run when it is first asked for, and kept."""
        if key not in self._made:
            self._made[key] = make()
        made: T = self._made[key]
        return made

    def write(self, folder: Path) -> None:
        """Writes the files to a folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    @contextmanager
    def opened(self) -> Iterator[Path]:
        """A folder with the files, as long as it is needed."""
        with scratch(self.name) as folder:
            self.write(folder)
            yield folder

    def __getstate__(self) -> dict[str, Any]:
        return {"corpus": self.corpus.to_bytes(), "files": self.files, "name": self.name, "asked": self.asked}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(_core.Corpus.from_bytes(state["corpus"]), state["files"], state["name"])  # type: ignore[misc]
        self.asked = state["asked"]


@contextmanager
def scratch(name: str = "run") -> Iterator[Path]:
    """A place for the folder of a run, as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="hdp-gpu-") as folder:
        yield Path(folder) / name


def chains(folder: Path) -> list[Path]:
    """The folders of all chains, the run's own first."""
    numbers = sorted(int(name) for name in os.listdir(folder / "chains")) if (folder / "chains").exists() else []
    return [folder, *(folder / "chains" / str(number) for number in numbers)]


def newest_checkpoint(chain: Path) -> Path:
    """The last checkpoint of a chain.

    Raises
    ------
    ValueError
        When there is none.
    """
    found = {int(path.stem.removeprefix("iteration-")): path for path in (chain / "checkpoint").glob("iteration-*.checkpoint")}
    if not found:
        raise ValueError(f"{chain} has no checkpoint: train the run again")
    return found[max(found)]
