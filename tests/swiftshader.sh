#!/usr/bin/env bash
# A good part of the tests of devices on SwiftShader, a second implementation of Vulkan, with subgroups of 4 lanes: barriers that
# are missing are missed there. It comes with Chromium.
#   tests/swiftshader.sh             those tests
#   tests/swiftshader.sh COMMAND…    a command of yours, with SwiftShader as the only Vulkan device
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { echo "SKIPPED: tests of devices on SwiftShader: $*"; exit 0; }
driver() { dpkg -L chromium chromium-common 2>/dev/null | grep 'vk_swiftshader_icd.json$' | head -n 1; }

[ "${HDP_GPU_SKIP_GPU_TESTS:-}" = 1 ] && skip "HDP_GPU_SKIP_GPU_TESTS is set"
command -v dpkg >/dev/null || skip "looked for in Debian's chromium only"
if [ -z "$(driver)" ]; then
  { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; } || skip "needs Debian's chromium"
  { apt-get update && apt-get install -y chromium; } >/dev/null 2>&1 || skip "chromium could not be installed"
fi
VK_ICD_FILENAMES=$(driver)
export VK_ICD_FILENAMES HDP_GPU_TEST_DEVICE=SwiftShader
[ $# -gt 0 ] && exec "$@"
# A team that is one subgroup, by its operations.
for way in team_4_by_subgroup team_4_with_own_slots; do
  cargo test --profile checked --locked --test devices_agree -- "$way"
done
# Several documents in a workgroup of many subgroups; without what takes a minute there.
exec cargo test --profile checked --locked --test devices_agree -- team_8_width_64 \
  --skip million --skip sample_from --skip lengths --skip d_longer --skip every_token --skip many_short \
  --skip more_than --skip a_word_in
