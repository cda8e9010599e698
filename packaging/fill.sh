#!/usr/bin/env bash
# Fills the Homebrew formula and the scoop manifest for a release, from the archives and checksums in DIR:
#   packaging/fill.sh VERSION HOMEPAGE DIR       HOMEPAGE is that of the repository; DIR gets hdp-gpu.rb and hdp-gpu.json
set -euo pipefail
version=$1
homepage=$2
dir=$3
templates=$(dirname "$0")

sum() { cut -d ' ' -f 1 "$dir/hdp-gpu-$version-$1.sha256"; }
macos=$(sum universal-apple-darwin.tar.gz)
intel=$(sum x86_64-unknown-linux-gnu.tar.gz)
arm=$(sum aarch64-unknown-linux-gnu.tar.gz)
windows=$(sum x86_64-pc-windows-msvc.zip)
for name in hdp-gpu.rb hdp-gpu.json; do
  sed -e "s|@VERSION@|$version|g; s|@HOMEPAGE@|$homepage|g; s|@MACOS@|$macos|; s|@LINUX_INTEL@|$intel|; s|@LINUX_ARM@|$arm|; s|@WINDOWS@|$windows|" \
    "$templates/$name.in" >"$dir/$name"
  if grep -n '@' "$dir/$name"; then echo "$name: something is not filled in" >&2; exit 1; fi
done
