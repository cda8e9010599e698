#!/usr/bin/env bash
# Every check of the project, fast ones first. Needs Rust and a GPU's driver; the latter is installed when it is
# missing and that is possible. HDP_GPU_SKIP_GPU_TESTS=1 leaves out the tests that need it.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; "$@"; }

# rustfmt and clippy are components of the toolchain; a minimal installation lacks them.
for component in rustfmt clippy; do
  cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# Mesa complains when it is not set.
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$out}"

# Whether the program sees a GPU, a software one included.
gpu_found() { cargo run --quiet --profile checked --locked -- devices | grep -q ', driver '; }

# Mesa's lavapipe runs shaders without a GPU.
need_gpu() {
  gpu_found && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update && apt-get install -y mesa-vulkan-drivers && gpu_found && return
  fi
  echo "no GPU found: install a Vulkan driver (Debian, Ubuntu: apt-get install mesa-vulkan-drivers; Fedora:" >&2
  echo "dnf install mesa-vulkan-drivers; it works without a GPU), or set HDP_GPU_SKIP_GPU_TESTS=1" >&2
  return 1
}

# Some tests mount disks of their own, which not every container allows.
if ! unshare -rm mount -t tmpfs none /mnt 2>/dev/null; then
  echo "SKIPPED: tests of full and read-only disks: unshare and mount are not allowed here"
  export HDP_GPU_SKIP_MOUNT_TESTS=1
fi

step cargo fmt --all --check
step cargo clippy --all-targets --locked -- --deny warnings
step cargo clippy --all-targets --locked --no-default-features -- --deny warnings
step cargo clippy --all-targets --locked --no-default-features --features cli -- --deny warnings
step cargo clippy --all-targets --locked --features parquet -- --deny warnings
step cargo test --profile checked --locked --no-default-features --features cli --lib --test cli
if [ "${HDP_GPU_SKIP_GPU_TESTS:-}" != 1 ]; then step need_gpu; fi
step cargo test --profile checked --locked --lib --bins --tests --examples
step cargo test --profile checked --locked --doc
RUSTDOCFLAGS="--deny warnings" step cargo doc --no-deps --locked

# Licences, sources and known faults of the dependencies.
step tests/deny.sh

# Result files in the libraries that they are for.
step tests/readers/run.sh

# The report in a browser.
step tests/browser/run.sh

# The README's command, in a folder of its own.
step cargo run --release --locked -- train sample --out "$out/run"
echo
echo "all checks passed"
