#!/usr/bin/env bash
# The PTX of the copy kernel is what its source says. Exit status 77 where there is no compiler for it.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang++-14 >/dev/null || exit 77
scripts/device_kernel.sh | diff src/device/copy_kernel_ptx.cc - || {
  echo "the source of the kernel has changed: run scripts/device_kernel.sh > src/device/copy_kernel_ptx.cc"
  exit 1
}
