#!/usr/bin/env bash
# hdp-gpu from Python beside the programs of Python, and beside its own command: benches/peers/python.sh CORPUS
#
# CORPUS is a UCI bag of words. The wheel is built and installed. PEERS_ITERATIONS (200) and PEERS_THREADS (2) can be set; gensim and
# scikit-learn make a pass, and PEERS_PASSES (10) of them.
set -euo pipefail
corpus=$(realpath "$1")
cd "$(dirname "$0")/../.."

threads=${PEERS_THREADS:-2}
iterations=${PEERS_ITERATIONS:-200}
passes=${PEERS_PASSES:-10}
venv=target/peers/python-venv
work=target/peers/python
export OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads

cargo build --release --locked
"$venv/bin/pip" --version >/dev/null 2>&1 || python3 -m venv --clear "$venv"
"$venv/bin/pip" install --quiet --requirement benches/peers/requirements.txt maturin==1.16.0
rm -rf "$work"
mkdir -p "$work"
"$venv/bin/maturin" build --quiet --release --locked --manifest-path python/Cargo.toml --target-dir target --out "$work"
"$venv/bin/pip" install --quiet --force-reinstall --no-deps "$work"/hdp_gpu-*.whl
"$venv/bin/pip" install --quiet "$work"/hdp_gpu-*.whl

peer() { local script=$1; shift; echo "$script: $*" >&2; "$venv/bin/python" -W ignore "benches/peers/$script" "$work" "$@"; }

"$venv/bin/python" benches/peers/corpus.py "$corpus" "$work" >&2
for repeat in 1 2 3; do
  peer run_hdp_gpu.py "$work/result-1-$repeat" "$threads" "$iterations" target/release/hdp-gpu "HDP, the command"
  peer run_python.py "$work/result-2-$repeat" "$threads" "$iterations"
done
peer run_tomotopy.py "$work/result-3" "$threads" "$iterations" hdp 80
peer run_tomotopy.py "$work/result-4" "$threads" "$iterations" lda 100
peer run_sklearn.py "$work/result-5" "$threads" "$passes" 100
peer run_gensim.py "$work/result-6" 150
"$venv/bin/python" benches/peers/table.py "$work"
"$venv/bin/python" benches/peers/overhead.py "$work"
