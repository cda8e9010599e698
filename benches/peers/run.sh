#!/usr/bin/env bash
# hdp-gpu beside tomotopy and gensim on the same documents and machine, as a table: benches/peers/run.sh CORPUS
#
# CORPUS is a UCI bag of words, or `sample`. The two HDP samplers take turns. PEERS_ITERATIONS (200), PEERS_THREADS (2), and the topics that
# each one starts with, PEERS_TOPICS (300) and PEERS_TOMOTOPY_TOPICS (80: its number grows), can be set; so can PEERS_REPEATS (3).
set -euo pipefail
corpus=$(realpath -m "${1:-sample}")
cd "$(dirname "$0")/../.."

threads=${PEERS_THREADS:-2}
iterations=${PEERS_ITERATIONS:-200}
topics=${PEERS_TOPICS:-300}
tomotopy_topics=${PEERS_TOMOTOPY_TOPICS:-80}
repeats=${PEERS_REPEATS:-3}
# gensim's time is bounded, in seconds.
patience=900

# What the samplers are timed with.
paper=(--preset paper --init-topics "$topics")
venv=target/peers/venv
work=target/peers/work
program=target/release/hdp-gpu
# numpy's threads are as many as the others'.
export OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads

cargo build --release --locked
"$venv/bin/pip" --version >/dev/null 2>&1 || python3 -m venv --clear "$venv"
"$venv/bin/pip" install --quiet --requirement benches/peers/requirements.txt
rm -rf "$work"
mkdir -p "$work"

peer() { local script=$1; shift; echo "$script: $*" >&2; "$venv/bin/python" -W ignore "benches/peers/$script" "$work" "$@"; }

if [ "${1:-sample}" = sample ]; then
  "$program" train sample --iterations 1 --device cpu --quiet --out "$work/sample"
  corpus=$work/sample/state.gz
fi
"$venv/bin/python" benches/peers/corpus.py "$corpus" "$work" >&2

for repeat in $(seq "$repeats"); do
  peer run_tomotopy.py "$work/result-2-$repeat" "$threads" "$iterations" hdp "$tomotopy_topics"
  peer run_hdp_gpu.py "$work/result-1-$repeat" "$threads" "$iterations" "$program" HDP "${paper[@]}"
done
# About as long as tomotopy's HDP takes.
peer run_hdp_gpu.py "$work/result-1-long" "$threads" "$((10 * iterations))" "$program" HDP "${paper[@]}"
for k in 100 300; do
  peer run_tomotopy.py "$work/result-3-$k" "$threads" "$iterations" lda "$k"
done
# Two minutes or less on AP and two cores, each.
peer run_tomotopy.py "$work/result-3-long" "$threads" "$((10 * iterations))" lda 100
peer run_hdp_gpu.py "$work/result-5-1" "$threads" "$((35 * iterations))" "$program" "HDP, defaults"
peer run_hdp_gpu.py "$work/result-5-10" "$threads" "$((35 * iterations))" "$program" "HDP, defaults, ten samples" --samples 10 --thin "$((2 * iterations))"
timeout "$patience" "$venv/bin/python" -W ignore benches/peers/run_gensim.py "$work" "$work/result-4" "$topics" ||
  echo "gensim was not done after $patience seconds" >&2

"$venv/bin/python" benches/peers/table.py "$work"
