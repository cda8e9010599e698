"""Scores all results of a folder and prints them as one Markdown table: table.py FOLDER

Runs of the same program and model are one row, of medians.
"""

import json
import sys
from pathlib import Path

import numpy as np

from corpus import load_documents
from score import completion


def main():
    folder = Path(sys.argv[1])
    documents = load_documents(folder / "heldout.npz")
    runs = {}
    for path in sorted(folder.glob("result-*.json")):
        row, model = json.loads(path.read_text()), np.load(path.with_suffix(".npz"))
        row["score"] = completion(documents, model["phi"], model["alpha"])
        settings = tuple(row[name] for name in ("program", "model", "iterations", "threads"))
        runs.setdefault(settings, []).append(row)
    print("| program | model | iterations | threads | runs | topics | tokens a second | seconds in all | peak memory | held out, nats a word |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for settings, rows in runs.items():
        names = ("topics", "tokens_per_second", "seconds", "megabytes", "score")
        topics, speed, seconds, memory, score = (np.median([row[name] for row in rows]) for name in names)
        figures = f"{len(rows)} | {topics:.0f} | {speed / 1e6:.3g} million | {seconds:.0f} | {memory:.0f} MB | {score:.3f}"
        print(f"| {' | '.join(map(str, settings))} | {figures} |")


if __name__ == "__main__":
    main()
