"""Trains scikit-learn's LDA: run_sklearn.py FOLDER RESULT THREADS PASSES TOPICS"""

import sys
import time
from pathlib import Path

import sklearn
from sklearn.decomposition import LatentDirichletAllocation

from corpus import load_documents
from result import peak_megabytes, save_result
from run_python import counts


def main():
    folder, result = Path(sys.argv[1]), Path(sys.argv[2])
    threads, passes, topics = map(int, sys.argv[3:6])
    X = counts(load_documents(folder / "train.npz"))
    model = LatentDirichletAllocation(topics, max_iter=passes, n_jobs=threads, topic_word_prior=0.01, random_state=1)
    start = time.perf_counter()
    model.fit(X)
    seconds = time.perf_counter() - start
    phi = model.components_ / model.components_.sum(axis=1, keepdims=True)
    row = {
        "program": f"scikit-learn {sklearn.__version__}",
        "model": f"LDA, variational, K = {topics}",
        "iterations": passes,
        "threads": threads,
        "topics": topics,
        "tokens_per_second": passes * int(X.sum()) / seconds,
        "seconds": seconds,
        "megabytes": peak_megabytes(),
    }
    save_result(result, row, phi, [1 / topics] * topics)


if __name__ == "__main__":
    main()
