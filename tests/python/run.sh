#!/usr/bin/env bash
# Builds the wheel, looks at its tag, installs it into a fresh environment, and tests it there: nothing of the checkout is on the path.
# With --all it is the wheel that is shipped, and is tested beside BERTopic too; and pip builds and installs the package from its source.
# Says SKIPPED and goes on when Python or the packages of others cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../.."

top=$PWD
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
venv=$target/python-venv
skip() { echo "SKIPPED: the Python package: $*"; exit 0; }

command -v python3 >/dev/null || skip "no python3"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "python3 is older than 3.10"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if ! python3 -m venv --clear "$venv"; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update && apt-get install -y python3-venv; } >"$out/apt" 2>&1 || tail -n 3 "$out/apt"
  fi
  python3 -m venv --clear "$venv" || skip "python3 cannot make an environment (Debian, Ubuntu: python3-venv)"
fi
# Packages may be out of reach. Where one can be had, that another cannot is a failure.
in_reach() { "$venv/bin/pip" download --quiet --no-cache-dir --no-deps --dest "$out/reached" tqdm==4.70.1; }
install() {
  "$venv/bin/pip" install --quiet --no-compile "$@" && return
  if in_reach; then echo "these could not be installed: $*" >&2; exit 1; fi
  skip "the packages of others cannot be had"
}
install --requirement tests/python/requirements.txt

# The program beside which the package is tested, when the caller has not built one.
if [ -z "${HDP_GPU_PROGRAM:-}" ]; then
  cargo build --release --locked
  export HDP_GPU_PROGRAM=$target/release/hdp-gpu
fi

# The wheel as it is shipped with --all, else one that is built sooner: with PyO3 the dependencies have other features than the
# program's, so all of them are built once more.
profile=dev
export CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0
[ "${1:-}" != --all ] || profile=release
wheel=$(packaging/wheel.sh "$target/wheels" "$profile")
# All that it needs is there, so pip has to take it.
"$venv/bin/pip" install --quiet --no-compile --no-index "$wheel"
du -h "$wheel"

export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$out}"
cd "$out"
"$venv/bin/python" -m pytest -q -p no:cacheprovider -rs --durations=5 "$top/tests/python" | tee pytest
sed -n 's/^SKIPPED \[[0-9]*\] /SKIPPED: /p' pytest

# Types: of a user's script, and of the stubs against the extension.
"$venv/bin/mypy" --strict "$top/tests/python/users_script.py"
"$venv/bin/python" "$top/tests/python/users_script.py"
! "$venv/bin/mypy" --strict -c 'from hdp_gpu import HPD' >misspelt || { echo "mypy takes a name that the package does not have" >&2; exit 1; }
grep -q 'has no attribute "HPD"' misspelt
"$venv/bin/python" -m mypy.stubtest hdp_gpu._core

if [ "${1:-}" = --all ]; then
  # Its own dependencies bring a model of embeddings that is not used here.
  install --no-deps bertopic==0.17.4
  install plotly==7.1.0 pyyaml==6.0.3
  "$venv/bin/python" -W ignore "$top/tests/python/with_bertopic.py"

  python3 -m venv --clear "$target/python-source-venv"
  CARGO_TARGET_DIR=$target "$target/python-source-venv/bin/pip" install --quiet --no-deps "$top/python"
  "$target/python-source-venv/bin/hdp-gpu" --version
fi
