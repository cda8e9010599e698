"""What every program's run leaves for the table: a row as JSON, and φ and α."""

import json
from pathlib import Path

import numpy as np


def peak_megabytes(process="self"):
    """The most memory that a process has had since it started its program; 0 when it has ended."""
    status = Path(f"/proc/{process}/status").read_text()
    return next((int(line.split()[1]) * 1024 / 1e6 for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def save_result(path, row, phi, alpha):
    """`row` has the program, model, iterations, threads, topics, tokens_per_second, seconds and megabytes."""
    np.savez(path.with_suffix(".npz"), phi=phi, alpha=alpha)
    path.with_suffix(".json").write_text(json.dumps(row))
