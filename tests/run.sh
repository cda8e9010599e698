#!/usr/bin/env bash
# Every check of the project, fast ones first. Needs Rust and nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; "$@"; }

# rustfmt and clippy are components of the toolchain; a minimal installation lacks them.
for component in rustfmt clippy; do
  cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done

step cargo fmt --all --check
step cargo clippy --all-targets --locked -- --deny warnings
step cargo test --profile checked --locked --lib --bins --tests --examples
step cargo test --profile checked --locked --doc
RUSTDOCFLAGS="--deny warnings" step cargo doc --no-deps --locked

# The README's first command, in a folder of its own.
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
step cargo run --release --locked -- train sample --out "$out/run"
echo
echo "all checks passed"
