#!/usr/bin/env bash
# Builds the Python package with the command `esker` and installs both; only when a source changed.
#
#   scripts/install_package.sh           for Open MPI, in .venv/
#   scripts/install_package.sh mpich     for MPICH, in build/packages/mpich/, to be put first in PYTHONPATH
#   scripts/install_package.sh none      without MPI, in build/packages/none/
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

mpi=${1:-openmpi}
stamp_file=build/packages/$mpi.stamp
target=(--target "build/packages/$mpi" --upgrade)
settings=(cmake.define.ESKER_WERROR=ON)
case "$mpi" in
  openmpi) stamp_file=.venv/package.stamp target=() settings+=(cmake.define.MPI_EXECUTABLE_SUFFIX=.openmpi) ;;
  mpich) settings+=(cmake.define.MPI_EXECUTABLE_SUFFIX=.mpich cmake.define.ESKER_MPI=ON build-dir=build/python-mpich) ;;
  none) settings+=(cmake.define.ESKER_MPI=OFF build-dir=build/python-none) ;;
  *) die "scripts/install_package.sh: expected no argument, mpich or none, found '$mpi'" ;;
esac

# Builds esker-bench-peers if its libraries are found.
stamp=$({
  find CMakeLists.txt pyproject.toml bench cmake include scripts/install_package.sh src python -type f \
    ! -path '*/__pycache__/*' -print0 | sort -z | xargs -0 sha256sum
  pkg-config --modversion pnetcdf hdf5-openmpi netcdf-mpi 2>/dev/null || true
} | sha256sum)
[ "$(cat "$stamp_file" 2>/dev/null)" != "$stamp" ] || exit 0
say "building the Python package ($mpi) and installing it in ${target[1]:-.venv}"
CC=gcc CXX=g++ CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) quietly "package-$mpi" .venv/bin/python -m pip install --quiet \
  --no-input --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall "${target[@]}" \
  "${settings[@]/#/--config-settings=}" .
mkdir -p "$(dirname "$stamp_file")"
echo "$stamp" >"$stamp_file"
