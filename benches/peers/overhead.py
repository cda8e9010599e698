"""What `fit` costs beside the command that the package carries, in processor time and memory: overhead.py FOLDER [TURNS]

Both read the same counts.npz of FOLDER, train in a process that has imported the package already, and write all results. The machine
may be busy with other things, so the least of some turns (5) is taken. Fails when `fit` takes more than its share of the command's
time more.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import scipy.sparse as sp

from corpus import load_documents
from run_python import counts

ITERATIONS, MOST = 300, 0.03

MEASURED = """
import sys, time
from pathlib import Path
import scipy.sparse as sp
from hdp_gpu import HDP, _core
folder, iterations = Path(sys.argv[1]), sys.argv[2]

def memory(what):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(what))

Path("/proc/self/clear_refs").write_text("5")
before, begin = memory("VmRSS"), time.process_time()
{work}
print(time.process_time() - begin, (memory("VmHWM") - before) / 1e6)
"""
COMMAND = """
flags = f"--vocab none --device cpu --threads 1 --quiet --force --iterations {iterations}".split()
assert _core.main(["hdp-gpu", "train", str(folder / "counts.npz"), "--out", str(folder / "overhead"), *flags]) == 0
"""
FIT = """
X = sp.load_npz(folder / "counts.npz")
HDP(int(iterations), device="cpu", n_jobs=1, progress=False, out=folder / "overhead").fit(X)
"""


def measured(work, folder):
    """Processor time in seconds, and by how many megabytes the most memory has grown."""
    shutil.rmtree(folder / "overhead", ignore_errors=True)
    run = [sys.executable, "-c", MEASURED.replace("{work}", work), str(folder), str(ITERATIONS)]
    done = subprocess.run(run, check=True, capture_output=True, text=True)
    return tuple(map(float, done.stdout.split()))


def main():
    folder, turns = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    sp.save_npz(folder / "counts.npz", sp.csr_matrix(counts(load_documents(folder / "train.npz"))))
    taken = [[measured(work, folder) for work in (COMMAND, FIT)] for _ in range(turns)]
    (command_s, command_mb), (fit_s, fit_mb) = (tuple(map(min, zip(*each))) for each in zip(*taken))
    more = fit_s / command_s - 1
    print(f"{ITERATIONS} iterations on one thread, the least of {turns} turns, processor time and memory:")
    print(f"command {command_s:.2f} s, {command_mb:.0f} MB; fit {fit_s:.2f} s ({more:+.1%}), {fit_mb:.0f} MB")
    if more > MOST:
        sys.exit(f"fit takes more than {MOST:.0%} more than the command")


if __name__ == "__main__":
    main()
