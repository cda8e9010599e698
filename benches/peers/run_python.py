"""Trains with hdp-gpu from Python: run_python.py FOLDER RESULT THREADS ITERATIONS

As of the command, the speed is that of the last iterations by the run's own log, and seconds are those until all results are written,
from the matrix of counts on. Memory is that of the whole process.
"""

import csv
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from corpus import load_documents
from hdp_gpu import HDP
from result import peak_megabytes, save_result

# As many iterations at the end are timed.
TIMED = 20


def counts(documents):
    """A row for each document."""
    rows = np.repeat(np.arange(len(documents)), [len(words) for words in documents])
    words = np.concatenate(documents)
    matrix = sp.coo_array((np.ones(len(words), dtype=np.int32), (rows, words))).tocsr()
    matrix.sum_duplicates()
    return matrix


def main():
    folder, result = Path(sys.argv[1]), Path(sys.argv[2])
    threads, iterations = int(sys.argv[3]), int(sys.argv[4])
    X = counts(load_documents(folder / "train.npz"))
    run = result.with_suffix(".run")
    model = HDP(iterations, device="cpu", n_jobs=threads, progress=False, out=run)
    start = time.perf_counter()
    model.fit(X, feature_names=[f"w{v}" for v in range(X.shape[1])])
    seconds = time.perf_counter() - start
    megabytes = peak_megabytes()
    with open(run / "timing.csv", newline="") as file:
        timed = sum(float(row["seconds"]) for row in list(csv.DictReader(file))[-TIMED:])
    phi = model.components_
    row = {
        "program": "hdp-gpu",
        "model": "HDP, Python",
        "iterations": iterations,
        "threads": threads,
        "topics": len(phi),
        "tokens_per_second": TIMED * int(X.sum()) / timed,
        "seconds": seconds,
        "megabytes": megabytes,
    }
    save_result(result, row, phi, model.alpha_ * model.psi_)


if __name__ == "__main__":
    main()
