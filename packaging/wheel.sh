#!/usr/bin/env bash
# Builds the wheel for Linux with glibc 2.28 or newer, wherever it is built, and has auditwheel check that: packaging/wheel.sh DIR [PROFILE]
# Only the last step, linking, asks for a glibc: it is done by zig, which knows the old ones and comes from PyPI. Prints the wheel's path.
set -euo pipefail
dir=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
venv=$target/wheel-venv
glibc=2.28

# One that has no pip was not finished.
"$venv/bin/pip" --version >/dev/null 2>&1 || python3 -m venv --clear "$venv"
"$venv/bin/pip" install --quiet maturin==1.16.0 ziglang==0.17.0 auditwheel==6.8.2
linker=$venv/bin/zig-linker
printf '#!/bin/sh\nexec "%s" -m ziglang cc -target %s-linux-gnu.%s "$@"\n' "$venv/bin/python" "$(uname -m)" "$glibc" >"$linker"
chmod +x "$linker"

rm -f "$dir"/hdp_gpu-*.whl
"$venv/bin/maturin" build --quiet --profile "${2:-release}" --locked --manifest-path python/Cargo.toml --target-dir "$target" --out "$dir" -- -C linker="$linker" >&2
wheel=$(echo "$dir"/hdp_gpu-*.whl)
# What it says begins with the wheel's name, which has a tag too; the one that it has found comes after "platform tag".
tag=$("$venv/bin/auditwheel" show "$wheel" | tr '\n' ' ' | sed -n 's/.* platform tag: "\([^"]*\)".*/\1/p')
minor=$(sed -n "s/^manylinux_${glibc%.*}_\([0-9]*\)_$(uname -m)\$/\1/p" <<<"$tag")
[ "${minor:-999}" -le "${glibc#*.}" ] || { echo "$wheel has the tag ${tag:-none}, and is to run with glibc $glibc" >&2; exit 1; }
echo "$wheel"
