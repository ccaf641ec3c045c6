#!/usr/bin/env bash
# Installs the packages, builds everything, benchmarks too, and runs all tests. With CI=true warnings are errors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install_packages.sh
werror=OFF
[[ ${CI:-} != true ]] || werror=ON
scripts/build.sh -DATTEND_BUILD_TESTS=ON -DATTEND_BUILD_BENCH=ON -DATTEND_WERROR="$werror"
scripts/make_quickstart_corpus.py --check
python3 .ci/test_scripts.py
ctest --test-dir build --output-on-failure --parallel "$(nproc)" --no-tests=error
