#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demo in C, whatever is installed: examples/c/run.sh [path of the toroid command]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "$here/../demo/run.sh" "${1:-toroid}" "$here/loan_score.c"
