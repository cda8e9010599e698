"""What every program's run leaves for the table: a row as JSON, and φ and α."""

import json
import resource

import numpy as np


def peak_megabytes(who=resource.RUSAGE_SELF):
    """The most memory that this process has had, or the largest of its children."""
    return resource.getrusage(who).ru_maxrss * 1024 / 1e6


def save_result(path, row, phi, alpha):
    """`row` has the program, model, iterations, threads, topics, tokens_per_second and megabytes."""
    np.savez(path.with_suffix(".npz"), phi=phi, alpha=alpha)
    path.with_suffix(".json").write_text(json.dumps(row))
