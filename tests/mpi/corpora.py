"""Corpora that scenarios write."""

import random
from pathlib import Path


def write_uci(path, docs, words):
    """Documents as lists of (word, count), words from 1."""
    entries = [(d, v, count) for d, doc in enumerate(docs, 1) for v, count in doc]
    lines = [f"{len(docs)}\n{words}\n{len(entries)}\n", *(f"{d} {v} {count}\n" for d, v, count in entries)]
    Path(path).write_text("".join(lines))


def write_themes(path):
    """Documents of two themes, on which chains soon agree."""
    generator = random.Random(2)
    docs = [sorted({generator.randint(1, 10) + 10 * (d % 2): 2 for _ in range(8)}.items()) for d in range(60)]
    write_uci(path, docs, 20)
