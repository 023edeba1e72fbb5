#!/usr/bin/env bash
# Prints src/device/copy_kernel_ptx.cc: the copy kernel as PTX, which the driver of each NVIDIA device since 2014
# compiles. Needs clang++-14 alone, no CUDA.
#
#   scripts/device_kernel.sh > src/device/copy_kernel_ptx.cc
set -euo pipefail
cd "$(dirname "$0")/.."

cat <<'END'
// Made from copy_kernel.cu by scripts/device_kernel.sh.
#include "device/copy_kernel_ptx.h"

namespace esker::device {

const char* const kCopyKernelPtx = R"ptx(
END
clang++-14 -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_50 -Xclang -target-feature -Xclang +ptx60 \
  -std=c++20 -O3 -I src -S src/device/copy_kernel.cu -o - | sed -e 's,//.*,,' -e 's/[ \t]*$//' -e '/^$/d'
cat <<'END'
)ptx";

}  // namespace esker::device
END
