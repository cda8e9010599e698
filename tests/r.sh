#!/usr/bin/env bash
# The guide's lines for R, in R, on the results of a run: r.sh [HDP-GPU]. Installs R on Debian and Ubuntu when run as root, and says
# SKIPPED where it cannot.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/checked/hdp-gpu}")

skip() { echo "SKIPPED: the guide's lines for R: $*"; exit 0; }

if ! command -v Rscript >/dev/null; then
  { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; } || skip "needs Rscript"
  { apt-get update && apt-get install -y --no-install-recommends r-base-core; } >/dev/null 2>&1 || skip "R could not be installed"
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
sed -n '/^```r$/,/^```$/{/^```/d;p}' docs/guide/faq.md >"$out/lines.R"
[ -s "$out/lines.R" ] || { echo "the guide has no lines for R" >&2; exit 1; }
"$program" train docs/guide/data/addresses.csv.gz --id-column id --device cpu --quiet --iterations 20 --out "$out/run"
(cd "$out" && Rscript lines.R) | tee "$out/said"
# Shares add up to 1.
grep -qx '\[1\] 1 1' "$out/said"
