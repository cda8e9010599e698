"""Splits a corpus into documents to train on and documents to score, the same for every program.

    corpus.py CORPUS FOLDER

CORPUS is a UCI bag of words, or the state.gz of a run. FOLDER gets docword.train.txt and vocab.train.txt, and train.npz and heldout.npz
with the words of all documents one after the other. Words that no training document has are left out everywhere.
"""

import gzip
import sys
from pathlib import Path

import numpy as np

HELD_OUT = 0.1
SEED = 1


def read_corpus(path):
    """The word numbers of each document that has any."""
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as file:
        if path.name == "state.gz":
            rows = (line.split(" ") for line in file if not line.startswith("#"))
            entries = [(int(row[0]), int(row[3]), 1) for row in rows]
        else:
            lines = file.readlines()[3:]
            entries = [tuple(map(int, line.split())) for line in lines]
    document, word, count = np.array(entries).T
    order = np.argsort(document, kind="stable")
    document, word = np.repeat(document[order], count[order]), np.repeat(word[order], count[order])
    return np.split(word, np.flatnonzero(np.diff(document)) + 1)


def split_corpus(documents):
    """Training documents, held-out ones and the size of the vocabulary, which is renumbered to the training words."""
    rng = np.random.default_rng(SEED)
    held_out = rng.random(len(documents)) < HELD_OUT
    train = [words for words, out in zip(documents, held_out) if not out]
    test = [words for words, out in zip(documents, held_out) if out]
    known = np.unique(np.concatenate(train))
    test = [words[np.isin(words, known)] for words in test]
    # As a bag of words has no order, none is as good as any.
    train = [rng.permutation(np.searchsorted(known, words)) for words in train]
    return train, [np.searchsorted(known, words) for words in test], len(known)


def save_documents(path, documents):
    np.savez(path, words=np.concatenate(documents), lengths=[len(words) for words in documents])


def load_documents(path):
    saved = np.load(path)
    return np.split(saved["words"], np.cumsum(saved["lengths"])[:-1])


def write_uci(folder, documents, vocab_size):
    entries = []
    for d, words in enumerate(documents, start=1):
        entries += [f"{d} {v + 1} {count}\n" for v, count in zip(*np.unique(words, return_counts=True))]
    header = f"{len(documents)}\n{vocab_size}\n{len(entries)}\n"
    (folder / "docword.train.txt").write_text(header + "".join(entries))
    (folder / "vocab.train.txt").write_text("".join(f"w{v}\n" for v in range(vocab_size)))


def main():
    corpus, folder = Path(sys.argv[1]), Path(sys.argv[2])
    train, test, vocab_size = split_corpus(read_corpus(corpus))
    write_uci(folder, train, vocab_size)
    save_documents(folder / "train.npz", train)
    save_documents(folder / "heldout.npz", test)
    tokens = [sum(map(len, documents)) for documents in (train, test)]
    print(f"{len(train)} documents, {tokens[0]} tokens, {vocab_size} words; held out {len(test)}, {tokens[1]} tokens")


if __name__ == "__main__":
    main()
