#!/usr/bin/env bash
# The tests and the benchmark of fields on a GPU, with the driver and the GPU of this machine.
#
#   scripts/gpu.sh [build|run]      without an argument: both. `run` needs no network and no compiler: scripts/gpu_bundle.sh
#                                   packs what it needs for another machine
#
# `run` is skipped where there is no NVIDIA GPU. Environment: GPU_RANKS, the numbers of ranks ("1 2 4"). Everywhere else
# the same tests run on a double of the driver (tests/support/cuda), as part of `make test`.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

# In a bundle (scripts/gpu_bundle.sh) Open MPI and the Python package are there.
if [ -d mpi ]; then
  export PATH=$PWD/mpi/bin:$PATH PYTHONPATH=$PWD/python OPAL_PKGDATADIR=$PWD/mpi/share
  export OMPI_MCA_mca_base_component_path=$PWD/mpi/plugins PMIX_MCA_mca_base_component_path=$PWD/mpi/pmix
fi

tests=(transport reader mesh levels)
without="--gtest_filter=-*EveryTransport*PutTypes"  # needs copies that do not fit in its budgets
build=build/release

build_all() {
  build_preset release "${tests[@]/#/mpi_}" esker-bench-gpu esker-jacobi
}

# $1: why
skip() {
  echo "gpu: skipped: $1"
  exit 0
}

# The Python tests, with those of CuPy and PyTorch that are installed. `python3` is that of .venv, if there is one.
run_packages() {
  python3 -c "import esker, pytest" 2>/dev/null || {
    echo "gpu: skipped: arrays of Python packages: $(command -v python3) cannot import esker and pytest"
    return 0
  }
  local each
  for each in cupy:CuPy torch:PyTorch; do
    python3 -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('${each%:*}') is None)" ||
      echo "gpu: skipped: ${each#*:} is not installed"
  done
  say "gpu: arrays of Python packages"
  quietly gpu-packages python3 -m pytest -q -rs tests/python/test_device_packages.py
}

run_all() {
  command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1 || skip "no NVIDIA GPU here (nvidia-smi -L)"
  local failed=0 name ranks run=(mpiexec.openmpi --oversubscribe)
  [ "$(id -u)" != 0 ] || run+=(--allow-run-as-root)
  for name in "${tests[@]}"; do
    for ranks in ${GPU_RANKS:-1 2 4}; do
      say "gpu: $name on $ranks ranks"
      ESKER_TEST_DEVICE=mixed ESKER_TEST_RANKS=$ranks \
        quietly "gpu-$name-$ranks" "${run[@]}" -n "$ranks" "$build/tests/mpi/mpi_$name" "$without" || failed=1
    done
  done
  say "gpu: a model that writes each tenth step, and restarts"
  ESKER_TEST_ALL_RUNS=1 quietly gpu-jacobi sh tests/miniapps/jacobi/end_to_end.sh "$PWD/$build/miniapps/jacobi/esker-jacobi" \
    mpiexec.openmpi -n || failed=1
  run_packages || failed=1
  if command -v compute-sanitizer >/dev/null; then
    say "gpu: memory of the device checked by compute-sanitizer"
    ESKER_TEST_DEVICE=all ESKER_TEST_RANKS=1 quietly gpu-sanitizer \
      compute-sanitizer --error-exitcode 1 "${run[@]}" -n 1 "$build/tests/mpi/mpi_transport" "$without" || failed=1
  else
    echo "gpu: skipped: compute-sanitizer is not installed"
  fi
  say "gpu: measuring"
  "${run[@]}" -n 4 "$build/bench/gpu/esker-bench-gpu" || failed=1
  [ "$failed" = 0 ] && echo "gpu: passed"
  return "$failed"
}

case ${1:-all} in
  build) build_all ;;
  run) run_all ;;
  all) build_all && run_all ;;
  *) echo "usage: scripts/gpu.sh [build|run]" >&2 && exit 2 ;;
esac
