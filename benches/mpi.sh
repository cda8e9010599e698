#!/usr/bin/env bash
# Ranks of MPI beside one process on the same corpus and cores: time of an iteration, of communication in it, its bytes and those on the
# wire between two hosts in network namespaces, beside the model at 1 Gb/s, and the memory of each rank.
#   benches/mpi.sh [MILLIONS] [ITERATIONS]    of tokens, 100 unless given, and 6; on two cores with nothing else to do
# Needs Open MPI, libclang and 4 GB of disk for 100 million tokens; for the hosts also root, ip and tc.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
program=$(realpath -m "${CARGO_TARGET_DIR:-target}/release/hdp-gpu")
cargo run --release --locked --example zipf_corpus -- "${1:-100}" "$out/corpus"
cargo build --release --locked --features mpi --bin hdp-gpu
cp "$program" "$out/hdp-gpu"
cd "$out"
python3 "$top/benches/mpi.py" "$out/hdp-gpu" openmpi "$out/corpus" "${2:-6}"
