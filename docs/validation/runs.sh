#!/usr/bin/env bash
# Trains on AP with each sampler and five seeds, for tests/published.rs: docs/validation/runs.sh docword.ap.txt.gz RUNS
set -euo pipefail
corpus=$1
runs=$2
mkdir -p "$runs"
for seed in 1 2 3 4 5; do
  train() { hdp-gpu train "$corpus" --out "$runs/$1-$seed" --seed "$seed" --trace-every 100 --quiet "${@:2}"; }
  train ppu --iterations 5000 --device cpu
  train dirichlet --iterations 1000 --device cpu --phi dirichlet
  train direct --iterations 5000 --sampler direct
done
