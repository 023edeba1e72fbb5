#!/usr/bin/env bash
# The PTX of each kernel is what its source says. Exit status 77 where there is no compiler for it.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang++-14 >/dev/null || exit 77
scripts/device_kernel.sh --check
