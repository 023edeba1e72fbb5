#!/usr/bin/env bash
# Makes the *_ptx.inc of all kernels of GPUs: a kernel as PTX in a string, which the driver of each NVIDIA device since
# 2014 compiles. Needs clang++-14 alone, no CUDA.
#
#   scripts/device_kernel.sh [--check]      --check: compares instead, and compiles those that AMD's runtime compiles;
#                                           exit status 1 if one differs
set -euo pipefail
cd "$(dirname "$0")/.."
kernels=(src/device/copy_kernel.cu miniapps/jacobi/sweep_kernel.cu)
for_amd=src/device/copy_kernel.cu

# $1: the source, other arguments: of the compiler, for a device. No fused multiply-add: results have the same bits as
# on the host.
compile() {
  local source=$1
  shift
  clang++-14 --cuda-device-only "$@" -std=c++20 -O3 -ffp-contract=off -I src -I miniapps -S "$source" -o -
}

ptx_of() {
  echo "// Made from ${1##*/} by scripts/device_kernel.sh."
  echo 'R"ptx('
  compile "$1" -x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_50 -Xclang -target-feature -Xclang +ptx60 |
    sed -e 's,//.*,,' -e 's/[ \t]*$//' -e '/^$/d'
  echo ')ptx"'
}

status=0
for kernel in "${kernels[@]}"; do
  made=${kernel%.cu}_ptx.inc
  if [ "${1:-}" != --check ]; then
    ptx_of "$kernel" >"$made"
  elif ! ptx_of "$kernel" | diff "$made" -; then
    echo "$kernel has changed: run scripts/device_kernel.sh"
    status=1
  fi
done
for device in gfx906 gfx90a gfx1030; do
  compile "$for_amd" -x hip -nogpuinc -nogpulib "--offload-arch=$device" >/dev/null || status=1
done
exit $status
