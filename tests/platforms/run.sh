#!/usr/bin/env bash
# The program for Windows, under wine, and for ARM, under qemu, beside the one for this machine: the same bytes. Takes many minutes.
#   tests/platforms/run.sh [windows] [arm]     both unless named
#   tests/platforms/run.sh check               only checks that all targets compile, with and without GPUs
# Installs what it needs on Debian and Ubuntu when run as root, and says SKIPPED for what it cannot have.
set -euo pipefail
cd "$(dirname "$0")/../.."

windows=x86_64-pc-windows-gnu
arm=aarch64-unknown-linux-gnu
here=$(rustc --version --verbose | sed -n 's/^host: //p')
skip() { echo "SKIPPED: $*"; exit 0; }

export CARGO_TARGET_DIR="$PWD/target/platforms"
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
std=()

# A compiler for the targets: rustup's, or else Debian's, which builds std from source.
targets() {
  rustup target add "$@" >/dev/null 2>&1 && return
  { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; } || skip "other platforms: rustup cannot fetch $*"
  local environment
  environment=$(tests/platforms/toolchain.sh target/platforms-toolchain) || skip "other platforms: no compiler for $*"
  eval "$environment"
  std=("-Zbuild-std=std,panic_abort")
}

# Commands, and the packages that have them.
tools() {
  local missing=()
  for tool in "$@"; do command -v "${tool%%:*}" >/dev/null || missing+=("${tool#*:}"); done
  [ ${#missing[@]} = 0 ] && return
  { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; } || skip "$platform: needs ${missing[*]}"
  { apt-get update && apt-get install -y --no-install-recommends "${missing[@]}"; } >/dev/null 2>&1 || skip "$platform: cannot install ${missing[*]}"
}

build() { cargo build --release --locked "${std[@]}" --no-default-features --features cli --bin hdp-gpu --target "$1"; }
program() { echo "$CARGO_TARGET_DIR/$1/release/hdp-gpu"; }

# Every target compiles, tests and all, or is refused with a sentence.
check() {
  local of_all=(x86_64-pc-windows-gnu x86_64-pc-windows-msvc aarch64-unknown-linux-gnu aarch64-apple-darwin x86_64-apple-darwin)
  local of_library=(i686-unknown-linux-gnu armv7-unknown-linux-gnueabihf)
  local big_endian=s390x-unknown-linux-gnu
  targets "${of_all[@]}" "${of_library[@]}" "$big_endian"
  # Some dependency of the benches has a file in C, of which checking needs nothing.
  # shellcheck disable=SC2016
  printf '#!/bin/sh\nwhile [ $# -gt 0 ]; do case "$1" in -o) : >"$2" ;; -Fo*) : >"${1#-Fo}" ;; -out:*) : >"${1#-out:}" ;; esac; shift; done\n' >"$out/cc"
  chmod +x "$out/cc"
  for target in "${of_all[@]//-/_}"; do export "CC_$target=$out/cc" "AR_$target=$out/cc"; done
  [ ${#std[@]} = 0 ] || std=("-Zbuild-std=std,panic_abort,test")
  export RUSTFLAGS="--deny warnings"
  for features in "--features gpu" "--no-default-features --features cli"; do
    # shellcheck disable=SC2086
    cargo check --locked "${std[@]}" $features --all-targets "${of_all[@]/#/--target=}"
    # shellcheck disable=SC2086
    cargo check --locked "${std[@]}" $features --lib --bins "${of_library[@]/#/--target=}"
  done
  cargo check --locked "${std[@]}" --no-default-features --features cli --lib --bins --target "$big_endian"
  if cargo check --locked "${std[@]}" --lib --target "$big_endian" 2>"$CARGO_TARGET_DIR/refusal"; then
    echo "the feature gpu is not refused on $big_endian"; exit 1
  fi
  grep -q 'GPUs have little-endian memory' "$CARGO_TARGET_DIR/refusal"
  echo "all targets check"
}

run_windows() {
  platform=windows
  tools x86_64-w64-mingw32-gcc:gcc-mingw-w64-x86-64 wine:wine wine:wine64 python3:python3 script:bsdutils
  targets "$windows" "$here"
  build "$here"
  build "$windows"
  local exe="$out/windows-program"
  mkdir -p "$exe"
  cp "$(program $windows).exe" "$exe/"
  x86_64-w64-mingw32-gcc -O1 -shared -o "$exe/bcryptprimitives.dll" tests/platforms/bcryptprimitives.c -ladvapi32
  x86_64-w64-mingw32-gcc -O1 -municode -o "$exe/press.exe" tests/platforms/press.c
  export WINEPREFIX="$out/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" HDP_GPU_EXE="$exe/hdp-gpu.exe"
  wineboot --init >/dev/null 2>&1 || wine wineboot --init >/dev/null 2>&1
  printf '#!/bin/sh\nexec wine %q "$@"\n' "$HDP_GPU_EXE" >"$out/windows"
  chmod +x "$out/windows"
  python3 tests/platforms/scenarios.py windows "$(program "$here")" "$out/windows" wine "$exe/press.exe"
  WINEPATH="$exe" CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine own_tests "$windows" --lib --bins --test checkpoint --test cli
  wineserver --kill || true
}

run_arm() {
  platform=arm
  tools aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu qemu-aarch64:qemu-user python3:python3
  targets "$arm" "$here"
  build "$here"
  build "$arm"
  printf '#!/bin/sh\nexec qemu-aarch64 -L /usr/aarch64-linux-gnu %q "$@"\n' "$(program $arm)" >"$out/arm"
  chmod +x "$out/arm"
  python3 tests/platforms/scenarios.py arm "$(program "$here")" "$out/arm"
  known_bytes "$out/arm"
  # Those of the command line would start the program without qemu.
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu" own_tests "$arm" --lib --bins --test checkpoint
}

# Tests of the program for a target, by what runs it.
own_tests() { cargo test --release --locked "${std[@]}" --no-default-features --features cli --target "$@"; }

# The digests of this project's own test of known bytes, of another program.
known_bytes() {
  env --unset=RUSTC --unset=RUSTC_BOOTSTRAP --unset=LD_LIBRARY_PATH CARGO_TARGET_DIR="$PWD/target" HDP_GPU_PROGRAM="$1" \
    cargo test --profile checked --locked --test cli -- golden
}

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
[ $# -gt 0 ] || set -- windows arm
for part in "$@"; do
  begin=$SECONDS
  case "$part" in
    windows | arm) ("run_$part") ;;
    check) (check) ;;
    *) echo "usage: tests/platforms/run.sh [windows] [arm] | check" >&2; exit 2 ;;
  esac
  echo "$part: $((SECONDS - begin)) s"
done
