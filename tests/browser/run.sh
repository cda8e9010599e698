#!/usr/bin/env bash
# The report in a browser: run.sh [HDP-GPU | --mock]. Makes reports with the program (target/checked/hdp-gpu if
# none is given) and with mock.py (alone with --mock), and checks them. Pictures go to target/browser.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:-${CARGO_TARGET_DIR:-target}/checked/hdp-gpu}
out=target/browser
venv=target/browser-venv

skip() { echo "SKIPPED: the report in a browser: $*"; exit 0; }

if ! { [ -x /usr/bin/chromium ] && [ -x /usr/bin/chromedriver ]; }; then
  { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; } || skip "needs chromium and chromedriver in /usr/bin"
  { apt-get update && apt-get install -y chromium chromium-driver; } || skip "chromium could not be installed"
fi
if ! "$venv/bin/python" -c 'import jinja2, selenium' 2>/dev/null; then
  { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet -r tests/browser/requirements.txt; } ||
    skip "tests/browser/requirements.txt could not be installed"
fi

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
python=$venv/bin/python
for kind in usual large hostile tiny; do
  "$python" tests/browser/mock.py "$pages/mock-$kind.html" $([ $kind = usual ] || echo "--$kind")
done
"$python" tests/browser/mock.py "$pages/mock-runs.html" --runs 4

if [ "$program" != --mock ]; then
  train() { "$program" train --device cpu --quiet "$@"; }
  train sample --out "$pages/one" --iterations 200
  train sample --out "$pages/two" --iterations 200 --seed 2
  "$python" tests/browser/corpus.py "$pages/hostile.jsonl"
  train "$pages/hostile.jsonl" --out "$pages/hostile" --iterations 100 --init-topics 8 --id-column id \
    --token-pattern '\S+' --keep-case --stopwords none
  cp "$pages/one/report.html" "$pages/sample.html"
  cp "$pages/hostile/report.html" "$pages/hostile.html"
  "$program" report "$pages/one" "$pages/two" --out "$pages/sample-runs.html"
fi

"$python" tests/browser/check.py "$out" "$pages"/*.html
