"""A corpus of four themes, and the program beside the package."""

import os
import subprocess
import sys
import textwrap
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import hdp_gpu

assert "site-packages" in hdp_gpu.__file__, f"the installed package is tested, not {hdp_gpu.__file__}"

WORDS = [f"{theme}{number}" for theme in ("ash", "bread", "cloud", "drum") for number in range(10)]


def themes(documents: int, seed: int) -> sp.csr_array:
    """Counts of documents with two themes each."""
    random = np.random.default_rng(seed)
    counts = np.zeros((documents, len(WORDS)), dtype=np.int64)
    for row in counts:
        mixed = random.choice(4, size=2, replace=False)
        for _ in range(30):
            row[10 * random.choice(mixed, p=[0.7, 0.3]) + random.integers(10)] += 1
    return sp.csr_array(counts)


@pytest.fixture(scope="session")
def X() -> sp.csr_array:
    return themes(80, 1)


@pytest.fixture(scope="session")
def new() -> sp.csr_array:
    return themes(20, 2)


@pytest.fixture
def corpus(X, tmp_path) -> Path:
    """The counts as files that the program reads."""
    path = tmp_path / "counts.npz"
    sp.save_npz(path, sp.csr_matrix(X))
    (tmp_path / "words.txt").write_text("\n".join(WORDS) + "\n")
    return path


class Program:
    """The program as it was built, not the one that the package carries."""

    def __init__(self) -> None:
        self.path = os.environ["HDP_GPU_PROGRAM"]

    def __call__(self, *args: object) -> str:
        done = subprocess.run([self.path, *map(str, args)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def train(self, corpus: Path, out: Path, *args: object) -> Path:
        self("train", corpus, "--vocab", corpus.with_name("words.txt"), "--out", out, "--quiet", *args)
        return out


@pytest.fixture(scope="session")
def program() -> Program:
    return Program()


def software_gpu() -> str | None:
    """The software GPU, when there is one."""
    listed = subprocess.run([sys.executable, "-m", "hdp_gpu", "devices"], capture_output=True, text=True).stdout
    return "llvmpipe" if "llvmpipe" in listed else None


@pytest.fixture(scope="session", params=["cpu", "gpu"])
def device(request) -> str:
    if request.param == "cpu":
        return "cpu"
    found = None if os.environ.get("HDP_GPU_SKIP_GPU_TESTS") == "1" else software_gpu()
    if found is None:
        pytest.skip("no software GPU")
    return found


# Seconds after which something is taken to hang, and not to have a busy machine.
LIMIT = 1800

# Where SIGINT is ignored, in the background of a shell for example, Python does not listen to it by itself.
SLOW = """
    import signal, sys, time
    signal.signal(signal.SIGINT, signal.default_int_handler)
    import numpy as np
    from hdp_gpu import HDP
    X = np.random.default_rng(1).integers(0, 3, size=(400, 300))
    def begun(row):
        print("row", row["iteration"], flush=True)
"""


@contextmanager
def python(code, **kwargs):
    """A process that is killed when it hangs."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SLOW) + textwrap.dedent(code)], stdout=subprocess.PIPE, text=True, **kwargs
    )
    limit = threading.Timer(LIMIT, process.kill)
    limit.start()
    try:
        yield process
    finally:
        limit.cancel()
        process.kill()
        process.wait()
