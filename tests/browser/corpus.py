"""Writes JSON Lines whose words, names and metadata try to break out of the page: corpus.py OUT.jsonl"""

import json
import random
import sys
from pathlib import Path

from mock_data import HOSTILE

WORDS = [word for word in HOSTILE if word.split() == [word]]


def main():
    """Documents lean to one half of the words or the other, so that there is more than one topic."""
    rng = random.Random(1)
    halves = [WORDS[::2], WORDS[1::2]]
    with Path(sys.argv[1]).open("w", encoding="utf-8") as out:
        for i in range(80):
            words = [rng.choice(halves[i % 2] if rng.random() < 0.95 else WORDS) for _ in range(60)]
            fields = {
                "id": HOSTILE[i % len(HOSTILE)],
                "year": str(1850 + i // 8),
                HOSTILE[2]: rng.choice(HOSTILE[:6]),
            }
            out.write(json.dumps({**fields, "text": " ".join(words)}) + "\n")


if __name__ == "__main__":
    main()
