#!/usr/bin/env bash
# Packs a program with completions, manual pages and licences, and writes the checksum beside it:
#   packaging/archive.sh PROGRAM TARGET DIR       e.g. target/release/hdp-gpu x86_64-unknown-linux-gnu dist
# PROGRAM must run here. Windows gets a zip, all others a tar.gz; prints the path of the archive.
set -euo pipefail
program=$(realpath "$1")
target=$2
dir=$(mkdir -p "$3" && cd "$3" && pwd)
cd "$(dirname "$0")/.."

version=$("$program" --version | cut -d ' ' -f 2 | tr -d '\r')
name="hdp-gpu-$version-$target"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir -p "$out/$name/completions"
cp "$program" README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$out/$name/"
for shell in bash elvish fish powershell zsh; do "$program" completions "$shell" >"$out/$name/completions/hdp-gpu.$shell"; done
"$program" man --out "$out/$name/man" >/dev/null

case "$target" in
  # Windows has its lines of code in a file of their own.
  *-windows-msvc) ;;
  *) strip "$out/$name/$(basename "$program")" ;;
esac
case "$target" in
  *-windows-*) archive="$name.zip" && (cd "$out" && python3 -m zipfile -c "$dir/$archive" "$name") ;;
  *) archive="$name.tar.gz" && tar -C "$out" -czf "$dir/$archive" "$name" ;;
esac
(cd "$dir" && { sha256sum "$archive" 2>/dev/null || shasum -a 256 "$archive"; } >"$archive.sha256")
echo "$dir/$archive"
