#!/usr/bin/env bash
# Every check of the project, fast ones first. Needs Rust; what else it needs it installs where it can, and what it cannot
# do it names and counts as skipped.
#   tests/run.sh           all of it but the longest
#   tests/run.sh --quick   format, lints, unit and command-line tests, one test of a device
#   tests/run.sh --all     the longest too: the released program and the one without GPUs, the programs for Windows and ARM, MPICH,
#                          every fault, 500 random histories of runs; with HDP_GPU_CORPORA=DIR also AP and KOS on software GPUs (tests/corpora.sh)
set -euo pipefail
cd "$(dirname "$0")/.."

scope=${1:-}
case "$scope" in "" | --quick | --all) ;; *) echo "usage: tests/run.sh [--quick|--all]" >&2; exit 2 ;; esac

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# Mesa complains when it is not set.
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$out}"
program="${CARGO_TARGET_DIR:-target}/checked/hdp-gpu"

# Runs a step, and keeps its time and what it says it has skipped.
step() {
  printf '\n== %s\n' "$*"
  local begin=$SECONDS
  "$@" 2>&1 | tee "$out/step"
  printf '%5d s  %s\n' "$((SECONDS - begin))" "$*" >>"$out/times"
  grep '^SKIPPED' "$out/step" >>"$out/skipped" || true
}

skip() { echo "SKIPPED: $*" | tee -a "$out/skipped"; }

# The end: how long each step took, and what was left out.
finish() {
  printf '\n'
  cat "$out/times"
  printf '%5d s  in all\n' "$SECONDS"
  touch "$out/skipped"
  cat "$out/skipped"
  echo "all checks passed, $(wc -l <"$out/skipped") skipped"
  exit 0
}

# rustfmt and clippy are components of the toolchain; a minimal installation lacks them.
has() { cargo "$1" --version >/dev/null 2>&1 || rustup component add "$2" >/dev/null 2>&1; }

# Whether the program, which the tests have built, sees a GPU, a software one included.
gpu_found() { "$program" devices | grep -q ', driver '; }

# Mesa's lavapipe runs shaders without a GPU.
need_gpu() {
  [ "${HDP_GPU_SKIP_GPU_TESTS:-}" = 1 ] && { skip "tests of GPUs: HDP_GPU_SKIP_GPU_TESTS is set"; return; }
  gpu_found && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update && apt-get install -y mesa-vulkan-drivers; } >"$out/apt" 2>&1 || tail -n 3 "$out/apt"
    gpu_found && return
  fi
  skip "tests of GPUs: none found; a Vulkan driver will do (Debian, Ubuntu: apt-get install mesa-vulkan-drivers)"
  export HDP_GPU_SKIP_GPU_TESTS=1
}

# strace tells whether the faults that tests inject leave no call out.
if ! command -v strace >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update && apt-get install -y strace; } >"$out/apt" 2>&1 || tail -n 3 "$out/apt"
  fi
  command -v strace >/dev/null || skip "whether injected faults leave no call out: strace is not installed"
fi

# Some tests mount disks of their own, which not every container allows.
if ! unshare -rm mount -t tmpfs none /mnt 2>/dev/null; then
  skip "tests of full and read-only disks: unshare and mount are not allowed here"
  export HDP_GPU_SKIP_MOUNT_TESTS=1
fi

tests() { cargo test --profile checked --locked "$@"; }
settles() { "$@" | tee "$out/settles" && grep -q "The 4 chains agree since iteration" "$out/settles"; }
lint() { cargo clippy --all-targets --locked "$@" -- --deny warnings; }

if has fmt rustfmt; then step cargo fmt --all --check; else skip "cargo fmt: not installed"; fi
if has clippy clippy; then
  step lint
  if [ "$scope" != --quick ]; then
    step lint --no-default-features
    step lint --no-default-features --features cli
    if command -v mpicc >/dev/null; then step lint --features parquet,mpi; else step lint --features parquet; skip "clippy with the feature mpi: no MPI library"; fi
    step lint --package hdp-gpu-python
  fi
else
  skip "cargo clippy: not installed"
fi

if [ "$scope" = --quick ]; then
  step tests --no-run --lib --bins --test cli --test devices_agree
  need_gpu
  step tests --lib --bins --test cli
  step tests --test devices_agree -- sample_from_50_topics
  finish
fi

step tests --no-run --lib --bins --tests --examples
need_gpu
step tests --lib --bins --tests
step tests/swiftshader.sh

# The README's first command, in a folder of its own, a stranger's way on a terminal, and the Python package beside the program.
HDP_GPU_PROGRAM=$(realpath "$program")
export HDP_GPU_PROGRAM
step "$HDP_GPU_PROGRAM" train sample --out "$out/run"
if command -v python3 >/dev/null; then step python3 tests/terminal.py "$HDP_GPU_PROGRAM"; else skip "a stranger's way on a terminal: no python3"; fi
if [ "$scope" = --all ]; then step tests/python/run.sh --all; else step tests/python/run.sh; fi
unset HDP_GPU_PROGRAM

step tests --doc
RUSTDOCFLAGS="--deny warnings" step cargo doc --no-deps --locked

# The library alone: the rest of its code is that of the tests above.
step settles cargo run --profile checked --locked --no-default-features --example until_settled

# Licences, sources and known faults of the dependencies.
step tests/deny.sh

# Result files in the libraries that they are for.
step tests/readers/run.sh

# Several ranks under MPI.
if [ "$scope" = --all ]; then step tests/mpi/run.sh --all; else step tests/mpi/run.sh; fi

# The report in a browser.
step tests/browser/run.sh
[ "$scope" = --all ] || finish

# The program without GPUs.
step tests --no-default-features --features cli --lib --test cli

# Times at two sizes.
step tests --test complexity -- --ignored --nocapture

# A fault at every single call, many random histories, and many changed inputs of every reader.
HDP_GPU_FAULTS=all HDP_GPU_HISTORIES=500 step tests --test faults -- --nocapture
HDP_GPU_CHANGED_INPUTS=20000 step tests --test fuzz -- --nocapture

# The guide's lines for R.
step tests/r.sh

# The programs for Windows and ARM, and whether every target compiles.
step tests/platforms/run.sh check windows arm

# Known bytes of the released program.
step cargo build --release --locked
HDP_GPU_PROGRAM=$(realpath "${CARGO_TARGET_DIR:-target}/release/hdp-gpu") step tests --test cli -- golden

if [ -n "${HDP_GPU_CORPORA:-}" ]; then step tests/corpora.sh "$HDP_GPU_CORPORA"; else skip "AP and KOS on software GPUs: HDP_GPU_CORPORA names no folder"; fi
finish
