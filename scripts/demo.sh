#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the command line, and runs the demo: a C program evaluated on encrypted data.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
scripts/build.sh release toroid
exec examples/demo/run.sh build/release/apps/toroid/toroid
