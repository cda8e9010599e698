#!/usr/bin/env bash
# The corpora that the paper is compared on, which are not ours to ship, on two software GPUs: AP at every team size and KOS at two,
# 50 iterations each, byte for byte the CPU's. Takes most of an hour on 2 cores.
#   tests/corpora.sh DIR      with ap/docword.ap.txt.gz and kos/docword.kos.txt.gz in it; needs target/release/hdp-gpu
set -euo pipefail
cd "$(dirname "$0")/.."
ap=$1/ap/docword.ap.txt.gz
kos=$1/kos/docword.kos.txt.gz

tests/same_bytes.sh "$ap" llvmpipe@{4,8,16,32,64}
tests/same_bytes.sh "$kos" llvmpipe@{4,8}
tests/swiftshader.sh tests/same_bytes.sh "$ap" SwiftShader@{4,8,16,32,64}
tests/swiftshader.sh tests/same_bytes.sh "$kos" SwiftShader@{4,8}
