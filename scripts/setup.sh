#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building, testing and the readers of C, C++ and Verilog need on Debian 12 (and its relatives).
# Does nothing, and needs no network, where all is there already. TOROID_CI_EXPECT with hip in it adds what compiling
# for AMD cards needs; the CUDA toolkit is in no distribution's hands and must be there already.
set -euo pipefail

packages=(
    build-essential cmake ninja-build pkg-config git python3 ccache
    libsodium-dev nlohmann-json3-dev libcli11-dev libfmt-dev zlib1g-dev libboost-dev
    libgtest-dev libgmock-dev libbenchmark-dev
    clang libclang-rt-14-dev
    yosys iverilog berkeley-abc
    clang-19 llvm-19 llvm-19-dev
)
if [[ ",${TOROID_CI_EXPECT:-}," == *,hip,* ]]; then
    packages+=(clang-15 lld-15 libamdhip64-dev rocm-device-libs)
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup.sh: this is no Debian system; install the counterparts of these packages yourself:" >&2
    echo "  ${packages[*]}" >&2
    exit 1
fi

missing=()
for package in "${packages[@]}"; do
    if [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
        missing+=("$package")
    fi
done
if ((${#missing[@]} == 0)); then
    echo "setup.sh: all ${#packages[@]} packages are installed"
    exit 0
fi

as_root=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
        echo "setup.sh: these packages are missing, and installing them needs root or sudo:" >&2
        echo "  ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "setup.sh: installing ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null
