"""Trains gensim's HDP, one pass: run_gensim.py FOLDER RESULT TOPICS

It runs on one thread, but for numpy's own. Documents are bags of words, as gensim has them; TOPICS is the truncation.
"""

import sys
import time
from pathlib import Path

import gensim
import numpy as np

from corpus import load_documents
from result import peak_megabytes, save_result


def main():
    folder, result, topics = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    documents = load_documents(folder / "train.npz")
    bags = [list(zip(*np.unique(words, return_counts=True))) for words in documents]
    tokens = sum(map(len, documents))
    names = {v: f"w{v}" for v in range(1 + max(words.max() for words in documents))}
    start = time.perf_counter()
    model = gensim.models.HdpModel(bags, names, T=topics, alpha=0.1, gamma=1.0, eta=0.01, random_state=1)
    seconds = time.perf_counter() - start
    megabytes = peak_megabytes()
    alpha, phi = model.hdp_to_lda()
    row = {
        "program": f"gensim {gensim.__version__}",
        "model": "HDP, variational",
        "iterations": 1,
        "threads": 1,
        "topics": topics,
        "tokens_per_second": tokens / seconds,
        "seconds": seconds,
        "megabytes": megabytes,
    }
    save_result(result, row, phi, alpha)


if __name__ == "__main__":
    main()
