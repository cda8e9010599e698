"""Trains a model of tomotopy: run_tomotopy.py FOLDER RESULT THREADS ITERATIONS hdp|lda TOPICS

An HDP has the α, β (its η) and γ of the paper, and so of hdp-gpu; the α of an LDA is fitted, as tomotopy does unless told otherwise.
"""

import sys
import time
from pathlib import Path

import numpy as np
import tomotopy

from corpus import load_documents
from result import peak_megabytes, save_result

# As many iterations at the end are timed.
TIMED = 20
ALPHA, BETA, GAMMA = 0.1, 0.01, 1.0


def make_model(kind, topics):
    if kind == "hdp":
        return tomotopy.HDPModel(initial_k=topics, alpha=ALPHA, gamma=GAMMA, eta=BETA, seed=1)
    return tomotopy.LDAModel(k=topics, alpha=ALPHA, eta=BETA, seed=1)


def topics_of(model, kind):
    """φ and the prior's weights of the topics in use. An HDP is turned into an LDA, whose weights are in the ratios of its tables."""
    if kind == "hdp":
        model, _ = model.convert_to_lda()
    phi = np.array([model.get_topic_word_dist(k) for k in range(model.k)], dtype=float)
    in_order = np.empty_like(phi)
    in_order[:, [int(word) for word in model.used_vocabs]] = phi
    weights = np.array(model.alpha, dtype=float)
    return in_order, ALPHA * weights / weights.sum() if kind == "hdp" else weights


def main():
    folder, result, kind = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[5]
    threads, iterations, topics = (int(sys.argv[at]) for at in (3, 4, 6))
    model = make_model(kind, topics)
    for words in load_documents(folder / "train.npz"):
        model.add_doc([str(v) for v in words])
    start = time.perf_counter()
    model.train(iterations - TIMED, workers=threads)
    timed_from = time.perf_counter()
    model.train(TIMED, workers=threads)
    end = time.perf_counter()
    megabytes = peak_megabytes()
    phi, alpha = topics_of(model, kind)
    row = {
        "program": f"tomotopy {tomotopy.__version__}",
        "model": "HDP" if kind == "hdp" else f"LDA, K = {topics}",
        "iterations": iterations,
        "threads": threads,
        "topics": len(alpha),
        "tokens_per_second": TIMED * model.num_words / (end - timed_from),
        "seconds": end - start,
        "megabytes": megabytes,
    }
    save_result(result, row, phi, alpha)


if __name__ == "__main__":
    main()
