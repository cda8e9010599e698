"""What a run takes in Python beside the same run of the command: at most one more copy of the corpus."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

WORDS, WORDS_PER_DOC, COUNT = 200, 20, 5
# A token's word.
COPY = 4

PEAK = """
import sys
from pathlib import Path
import numpy as np
import scipy.sparse as sp

def memory(what):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(what))

def begin():
    Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")
"""
FIT = """
from hdp_gpu import HDP
X = sp.load_npz("counts.npz")
before = begin()
HDP(2, init="documents:5", max_topics=20, device="cpu").fit(X)
"""
COMMAND = """
from hdp_gpu import _core
before = begin()
flags = "--vocab none --init documents:5 --max-topics 20 --device cpu --threads 1 --iterations 2 --quiet --out run --force"
assert _core.main(["hdp-gpu", "train", "counts.npz", *flags.split()]) == 0
"""


def per_token(script, tmp_path):
    """What a token adds to the most memory of a process."""
    peaks, tokens = [], []
    for docs in (2_000, 20_000):
        rows = np.repeat(np.arange(docs), WORDS_PER_DOC)
        words = (7 * rows + 11 * np.tile(np.arange(WORDS_PER_DOC), docs)) % WORDS
        counts = np.full(len(rows), COUNT, dtype=np.int32)
        sp.save_npz(tmp_path / "counts.npz", sp.csr_matrix((counts, (rows, words)), shape=(docs, WORDS)), compressed=False)
        code = PEAK + script + 'print(memory("VmHWM") - before)'
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout.splitlines()[-1]))
        tokens.append(docs * WORDS_PER_DOC * COUNT)
    return (peaks[1] - peaks[0]) / (tokens[1] - tokens[0])


def tells_peaks():
    """Whether the system tells the most memory of a process, and forgets what was."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


@pytest.mark.skipif(not tells_peaks(), reason="the system does not tell the most memory of a process")
def test_fit_takes_one_more_copy_of_the_corpus_at_most(tmp_path):
    fit, command = per_token(FIT, tmp_path), per_token(COMMAND, tmp_path)
    print(f"{fit:.1f} bytes a token in fit, beside the matrix, and {command:.1f} in the command")
    assert fit <= command + COPY
