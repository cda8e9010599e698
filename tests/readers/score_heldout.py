"""Document completion of held-out documents, written without the program's code.

    score_heldout.py RUN DOCWORD

RUN is the folder of `hdp-gpu train DOCWORD --holdout …`, DOCWORD its corpus as UCI bag of words. Every held-out document is
cut into halves at random, θ is inferred from the first one by collapsed Gibbs sampling, and the second one is scored by
p(v) = Σ_k θ_k φ_kv. Fails unless the figure of run.json lies within one standard error of the one found here.
"""

import csv
import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from safetensors import safe_open

BURN_IN, SAMPLES, THIN, SPLITS = 200, 100, 5, 2


def read_model(run):
    """φ and αΨ of the topics with tokens."""
    with safe_open(run / "model.safetensors", framework="numpy") as model:
        alpha, beta = (float(model.metadata()[name]) for name in ("alpha", "beta"))
        psi, indptr = model.get_tensor("psi"), model.get_tensor("n_indptr")
        indices, data = model.get_tensor("n_indices"), model.get_tensor("n_data")
    vocab_size = len((run / "vocab.txt").read_text(encoding="utf-8").splitlines())
    n = np.zeros((len(psi), vocab_size))
    for k in range(len(psi)):
        row = slice(int(indptr[k]), int(indptr[k + 1]))
        n[k, indices[row]] = data[row]
    active = n.sum(axis=1) > 0
    n = n[active]
    phi = (n + beta) / (n.sum(axis=1, keepdims=True) + vocab_size * beta)
    return phi, alpha * psi[active]


def held_out_documents(run, docword):
    """The words of each held-out document, from the corpus itself."""
    with open(run / "heldout-documents.csv", newline="", encoding="utf-8") as file:
        numbers = {int(row["number"]) for row in csv.DictReader(file)}
    opened = gzip.open(docword, "rt") if docword.suffix == ".gz" else open(docword)
    documents = defaultdict(list)
    with opened as file:
        for _ in range(3):
            next(file)
        for line in file:
            d, v, count = map(int, line.split())
            if d in numbers:
                documents[d] += [v - 1] * count
    assert len(documents) == len(numbers)
    return [np.array(words) for _, words in sorted(documents.items())]


def mean_theta(words, phi, alpha_psi, rng):
    """The mean of θ over samples of the topics of `words`."""
    z = rng.integers(len(alpha_psi), size=len(words))
    m = np.bincount(z, minlength=len(alpha_psi)).astype(float)
    columns = phi[:, words].T
    total = np.zeros_like(m)
    for sweep in range(1, BURN_IN + SAMPLES * THIN + 1):
        uniforms = rng.random(len(words))
        for i, column in enumerate(columns):
            m[z[i]] -= 1
            weights = np.cumsum(column * (m + alpha_psi))
            z[i] = np.searchsorted(weights, uniforms[i] * weights[-1])
            m[z[i]] += 1
        if sweep > BURN_IN and (sweep - BURN_IN) % THIN == 0:
            total += m / SAMPLES
    return (total + alpha_psi) / (len(words) + alpha_psi.sum())


def completion(documents, phi, alpha_psi, rng):
    """Nats a word of the second halves, and the standard error over documents."""
    scores = []
    for words in documents:
        words = rng.permutation(words)
        half = (len(words) + 1) // 2
        theta = mean_theta(words[:half], phi, alpha_psi, rng)
        scores.append((np.log(theta @ phi[:, words[half:]]).sum(), len(words) - half))
    log_p, tokens = np.array(scores).T
    per_word = log_p.sum() / tokens.sum()
    residuals = log_p - per_word * tokens
    return per_word, np.sqrt((residuals**2).sum()) / tokens.sum()


def main():
    run, docword = Path(sys.argv[1]), Path(sys.argv[2])
    phi, alpha_psi = read_model(run)
    documents = held_out_documents(run, docword)
    rng = np.random.default_rng(1)
    found = np.array([completion(documents, phi, alpha_psi, rng) for _ in range(SPLITS)])
    per_word, error = found.mean(axis=0)
    ours = json.loads((run / "run.json").read_text(encoding="utf-8"))["holdout"]["completion"]
    print(f"hdp-gpu {ours['per_word']:.4f} ± {ours['standard_error']:.4f} nats per word")
    splits = ", ".join(f"{split:.4f}" for split in found[:, 0])
    print(f"here    {per_word:.4f} ± {error:.4f} nats per word, {len(documents)} documents ({splits})")
    if abs(ours["per_word"] - per_word) > error:
        sys.exit("they differ by more than a standard error")


if __name__ == "__main__":
    main()
