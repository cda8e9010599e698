#!/usr/bin/env bash
# Checks the dependencies of the program, of python/ and of fuzz/ as deny.toml says, with cargo-deny, which is installed into target/ when it is
# missing. Says SKIPPED and goes on when it, the crates or the list of advisories cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD/target/deny
export PATH="$root/bin:$PATH"
skip() { echo "SKIPPED: $*"; exit 0; }

if ! command -v cargo-deny >/dev/null; then
  cargo install cargo-deny --version '^0.20' --locked --debug --root "$root" --target-dir "$root/build" ||
    skip "dependencies: cargo-deny cannot be installed (cargo install cargo-deny --locked)"
  rm -rf "$root/build"
fi

manifests=(Cargo.toml python/Cargo.toml fuzz/Cargo.toml)
deny() { cargo-deny --locked --offline --config deny.toml --manifest-path "$@"; }

# Crates for other systems are not there yet.
for manifest in "${manifests[@]}"; do
  said=$(cargo fetch --quiet --locked --manifest-path "$manifest" 2>&1) && continue
  echo "$said" >&2
  # That a lock file is older than its Cargo.toml is no matter of the network.
  [[ "$said" != *--locked* ]] || exit 1
  skip "dependencies: the crates cannot be fetched"
done
for manifest in "${manifests[@]}"; do
  deny "$manifest" check --hide-inclusion-graph licenses sources bans
done

cargo-deny --config deny.toml fetch db || skip "advisories: the database cannot be fetched"
for manifest in "${manifests[@]}"; do
  deny "$manifest" check advisories
done
