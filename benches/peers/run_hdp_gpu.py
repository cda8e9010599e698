"""Trains with hdp-gpu: run_hdp_gpu.py FOLDER RESULT THREADS ITERATIONS PROGRAM MODEL FLAG…

MODEL is what the table calls it.

Memory and seconds in all are those of the whole process, which also writes all results.
"""

import csv
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from result import peak_megabytes, save_result

# As many iterations at the end are timed.
TIMED = 20


def topics_of(run):
    """φ and αΨ of the topics with tokens."""
    stored, theta = np.load(run / "phi.npz"), np.load(run / "theta.npz")
    phi = np.repeat(stored["floor"][:, None], stored["shape"][1], axis=1)
    topics = np.repeat(np.arange(len(phi)), np.diff(stored["indptr"]))
    phi[topics, stored["indices"]] = stored["data"]
    active = np.unique(topics)
    columns = np.searchsorted(theta["topics"], active)
    return phi[active], theta["alpha_psi"][columns]


def peak_of(command):
    """Runs a command and watches its memory. (What the system adds up for a child has this program's own memory in it.)"""
    process = subprocess.Popen(command)
    megabytes = 0
    while process.poll() is None:
        megabytes = max(megabytes, peak_megabytes(process.pid))
        time.sleep(0.05)
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed")
    return megabytes


def main():
    folder, result, program = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[5]
    threads, iterations, model, flags = sys.argv[3], sys.argv[4], sys.argv[6], sys.argv[7:]
    run = result.with_suffix(".run")
    command = [program, "train", str(folder / "docword.train.txt"), "--out", str(run), "--force", "--quiet", "--no-text"]
    command += [*flags, "--iterations", iterations]
    start = time.perf_counter()
    megabytes = peak_of([*command, "--device", "cpu", "--threads", threads])
    seconds = time.perf_counter() - start
    with open(run / "timing.csv", newline="") as file:
        timed = sum(float(row["seconds"]) for row in list(csv.DictReader(file))[-TIMED:])
    phi, alpha = topics_of(run)
    row = {
        "program": "hdp-gpu",
        "model": model,
        "iterations": int(iterations),
        "threads": int(threads),
        "topics": len(alpha),
        "tokens_per_second": TIMED * int(np.load(folder / "train.npz")["lengths"].sum()) / timed,
        "seconds": seconds,
        "megabytes": megabytes,
    }
    save_result(result, row, phi, alpha)


if __name__ == "__main__":
    main()
