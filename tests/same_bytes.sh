#!/usr/bin/env bash
# A corpus of yours on several devices: the trace and the state must be the CPU's, byte for byte. Takes minutes on a software GPU.
#   tests/same_bytes.sh CORPUS DEVICE[@TEAM]...      e.g. docword.ap.txt.gz llvmpipe@8 hybrid:llvmpipe
# HDP_GPU_PROGRAM names the program (target/release/hdp-gpu), ITERATIONS how long to train (50).
set -euo pipefail
program=${HDP_GPU_PROGRAM:-$(dirname "$0")/../target/release/hdp-gpu}
corpus=$1
shift
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

train() { "$program" train "$corpus" --iterations "${ITERATIONS:-50}" --trace-every 1 --quiet "$@"; }

train --device cpu --out "$out/cpu"
for device in "$@"; do
  team=(); [[ $device == *@* ]] && team=(--team "${device#*@}")
  rm -rf "$out/run"
  start=$SECONDS
  train --device "${device%@*}" "${team[@]}" --on-device-error fail --out "$out/run"
  cmp "$out/cpu/trace.csv" "$out/run/trace.csv"
  cmp <(zcat "$out/cpu/state.gz") <(zcat "$out/run/state.gz")
  echo "same: $(basename "$corpus") on $device, ${ITERATIONS:-50} iterations, $((SECONDS - start)) s"
done
echo "$# passed, 0 failed"
