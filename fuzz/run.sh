#!/usr/bin/env bash
# fuzz/run.sh [SECONDS [TARGET…]]: fuzzes one target after the other, all of them unless some are named, for 300
# seconds each unless told. It ends at the first input that makes a reader panic, hang or take too much memory.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-300}
shift || true
if [ $# = 0 ]; then
  mapfile -t targets < <(cargo fuzz list)
  set -- "${targets[@]}"
fi
[ -d fuzz/corpus ] || cp -r tests/fixtures/fuzz fuzz/corpus

dictionary() {
  case $1 in
    uci | ldac | mm | svmlight | state | vocabulary) echo fuzz/dictionaries/counts.dict ;;
    npz | model | prepared | checkpoint | compressed) echo fuzz/dictionaries/binary.dict ;;
    *) echo fuzz/dictionaries/text.dict ;;
  esac
}

for target; do
  printf '\n== %s\n' "$target"
  cargo fuzz run --sanitizer none "$target" -- -dict="$(dictionary "$target")" -max_total_time="$seconds" \
    -max_len=4096 -timeout=20 -rss_limit_mb=1024 -print_final_stats=1
done
