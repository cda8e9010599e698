#!/usr/bin/env bash
# Prints all tables of docs/GPU.md's "What it costs on real GPUs" in Markdown.
#   benches/gpu-stats/run.sh [STATS.json]      compiles every kernel of kernels.py, and writes what was counted
#   benches/gpu-stats/run.sh --from STATS.json only predicts, from what was counted before
# GPU_STATS_FAMILIES names the GPUs, GPU_STATS_KERNELS the kernels (all of kernels.py).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kernels=${GPU_STATS_KERNELS:+--kernels $GPU_STATS_KERNELS}
if [[ ${1:-} == --from ]]; then
  stats=$2
else
  stats=${1:-${CARGO_TARGET_DIR:-$here/../../target}/gpu-stats.json}
  # shellcheck disable=SC2086
  python3 "$here/stats.py" --json "$stats" $kernels
  echo
fi
# shellcheck disable=SC2086
python3 "$here/predict.py" "$stats" $kernels
