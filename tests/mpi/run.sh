#!/usr/bin/env bash
# The program on several ranks beside one process: the same bytes, refusals with a sentence, and an end for all when one fails.
#   tests/mpi/run.sh          under Open MPI, in minutes
#   tests/mpi/run.sh --all    more kills, and under MPICH too
# SCENARIOS names some of them (tests/mpi/scenarios.py). Installs what it needs on Debian and Ubuntu when run as root, and says SKIPPED
# for what it cannot have.
set -euo pipefail
cd "$(dirname "$0")/../.."

skip() { echo "SKIPPED: $*"; exit 0; }
install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && { apt-get update && apt-get install -y --no-install-recommends "$@"; } >/dev/null 2>&1; }

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# rsmpi asks libclang for the functions of the MPI that is there.
libclang() { ls /usr/lib/llvm-*/lib/libclang*.so* /usr/lib/*/libclang*.so* 2>/dev/null || true; }
if ! { command -v mpicc && command -v mpirun; } >/dev/null || [ -z "$(libclang)" ]; then
  install libopenmpi-dev openmpi-bin libclang-dev iproute2 || skip "ranks of MPI: needs libopenmpi-dev, openmpi-bin and libclang-dev"
fi
command -v ip >/dev/null || install iproute2 || true
command -v python3 >/dev/null || skip "ranks of MPI: no python3"

# Builds the program with the feature mpi, beside a test so that its dependencies are those of all tests, and copies it to where no
# other build replaces it.
build() {
  cargo test --profile checked --locked --features mpi --no-run --test ranks
  cp "${CARGO_TARGET_DIR:-target}/checked/hdp-gpu" "$out/$1"
}

build openmpi
python3 tests/mpi/scenarios.py "$out/openmpi" openmpi "$@"

if [ "${1:-}" = --all ]; then
  command -v mpiexec.mpich >/dev/null || install libmpich-dev mpich || skip "ranks of MPICH: needs libmpich-dev and mpich"
  MPICC=mpicc.mpich CARGO_TARGET_DIR=target/mpich build mpich
  python3 tests/mpi/scenarios.py "$out/mpich" mpich "$@"
fi
