#!/usr/bin/env bash
# Configures and builds attend in build/ (CMake preset "release") on all cores. Arguments go to cmake's configure step:
#   scripts/build.sh -DATTEND_BUILD_TESTS=OFF
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cmake --preset release "$@"
cmake --build build --parallel "$(nproc)"
