#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh PRESET [target...]: configures and builds one preset of CMakePresets.json into build/PRESET.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset="${1:?usage: build.sh PRESET [target...]}"
shift

# A compilation of template-heavy code takes up to a gigabyte, so that a small machine must not start one a core.
jobs="$(nproc)"
available_kib="$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo 2>/dev/null || true)"
if [[ -n "$available_kib" ]]; then
    fitting=$((available_kib / 1000000))
    ((fitting < 1)) && fitting=1
    ((fitting < jobs)) && jobs=$fitting
fi

cmake --preset "$preset"
targets=()
(($# > 0)) && targets=(--target "$@")
cmake --build --preset "$preset" --parallel "$jobs" "${targets[@]}"
