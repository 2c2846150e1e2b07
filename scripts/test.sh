#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs the quick tests (labels unit and contract, some minutes on two cores).
# Arguments go to ctest, e.g.  scripts/test.sh -R circuit  or, for the long tests,  scripts/test.sh -L slow
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
scripts/build.sh release

labels=(-L '^(unit|contract)$')
for argument in "$@"; do
    case "$argument" in -L | --label-regex) labels=() ;; esac
done
ctest --test-dir build/release --output-on-failure --no-tests=error --parallel "$(nproc)" "${labels[@]}" "$@"
