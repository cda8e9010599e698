#!/usr/bin/env bash
# Trains two runs and reads all their files with the real libraries, in a Python environment of its own. Says SKIPPED and goes on when
# Python or its packages cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=target/readers-venv
skip() { echo "SKIPPED: result files in real readers: $*"; exit 0; }

command -v python3 >/dev/null || skip "no python3"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" || skip "python3 cannot make an environment (Debian, Ubuntu: python3-venv)"
"$venv/bin/pip" install --quiet --requirement tests/readers/requirements.txt || skip "the packages could not be installed"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Documents of two themes with metadata; a column has one of our names, and the last document is too short to be kept.
table="$out/table.csv"
"$venv/bin/python" - "$table" <<'PYTHON'
import csv, random, sys
random.seed(1)
themes = [["ash", "birch", "cedar", "oak", "pine", "root"], ["sail", "mast", "wind", "wave", "harbour", "keel"]]
with open(sys.argv[1], "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["id", "year", "text", "topic", "note"])
    for d in range(80):
        words = random.choices(themes[d % 2], k=30) + random.choices(themes[1 - d % 2] + ["day", "night"], k=5)
        rows.writerow([f"doc {d}", 1900 + d, " ".join(words), "tree" if d % 2 == 0 else "sea", 'a "note", quoted'])
    rows.writerow(["short", 2000, "ash", "", ""])
PYTHON

train() { cargo run --quiet --profile checked --locked --no-default-features --features cli,parquet -- train "$@" --device cpu --quiet; }
train sample --out "$out/sample" --iterations 50 --init-topics 20
train "$table" --id-column id --out "$out/table" --iterations 50 --init-topics 8 --max-topics 50 --samples 5 --thin 2
"$venv/bin/python" tests/readers/check.py "$out/sample"
"$venv/bin/python" tests/readers/check.py "$out/table" "$table"

# Held-out documents, scored without the program's code.
cargo run --quiet --profile checked --locked --no-default-features --features cli,parquet -- synth --out "$out/synth" --docs 150 --doc-length 60 --vocab-size 300 >/dev/null
train "$out/synth/docword.synth.txt" --out "$out/held-out" --iterations 100 --init-topics 20 --holdout 0.2
"$venv/bin/python" tests/readers/score_heldout.py "$out/held-out" "$out/synth/docword.synth.txt"
