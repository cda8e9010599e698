#!/usr/bin/env bash
# Puts a Rust compiler that builds for every target into DIR, out of Debian's packages, for machines where rustup has nothing to
# download from. Prints the environment to build with:
#   eval "$(toolchain.sh DIR)" && cargo build -Zbuild-std=std,panic_abort --target TARGET
# The machine's own cargo is used; Debian's rustc brings the sources of std, and std is built from them.
set -euo pipefail
dir=$(mkdir -p "$1" && cd "$1" && pwd)
if [ ! -x "$dir/usr/bin/rustc" ]; then
  cd "$dir"
  apt-get update >&2
  std=$(apt-cache depends libstd-rust-web-dev | grep -o 'libstd-rust-web-[0-9][0-9.]*' | sed -n 1p)
  llvm=$(apt-cache depends "$std" | grep -o 'libllvm[0-9][0-9]*' | sed -n 1p)
  apt-get download rustc-web "$std" libstd-rust-web-dev rust-web-src "$llvm" >&2
  for package in *.deb; do dpkg -x "$package" .; done
  rm -f ./*.deb
fi
lib=$(dirname "$(find "$dir/usr/lib" -name 'libLLVM*.so*' -print -quit)")
lib="$dir/usr/lib/x86_64-linux-gnu:$lib"
LD_LIBRARY_PATH="$lib" "$dir/usr/bin/rustc" --version >&2
echo "export LD_LIBRARY_PATH='$lib' RUSTC='$dir/usr/bin/rustc' RUSTC_BOOTSTRAP=1"
