#!/usr/bin/env bash
# Builds the Python package with the command `esker`, on the library of a preset's build, and installs both; only when a
# source changed.
#
#   scripts/install_package.sh [openmpi]     of the build `release`, in .venv/
#   scripts/install_package.sh mpich         of the build `mpich`, in build/packages/mpich/, to be put first in PYTHONPATH
#   scripts/install_package.sh none          without MPI, of the build `serial`, in build/packages/none/
#
# PROGRAMS=no leaves out those of `esker bench` and the plug-ins; the last two have none.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

mpi=${1:-openmpi}
stamp_file=build/packages/$mpi.stamp
target=(--target "build/packages/$mpi" --upgrade)
libraries=(esker esker_mpi)
case "$mpi" in
  openmpi) preset=release stamp_file=.venv/package.stamp target=() ;;
  mpich) preset=mpich PROGRAMS=no ;;
  none) preset=serial libraries=(esker) PROGRAMS=no ;;
  *) die "scripts/install_package.sh: expected openmpi, mpich or none, found '$mpi'" ;;
esac
parts=(library)
[ "${PROGRAMS:=yes}" = no ] || parts+=(programs)

# esker-bench-peers is built if its libraries are found.
stamp=$({
  find CMakeLists.txt pyproject.toml bench cmake include plugins scripts/install_package.sh src python -type f \
    ! -path '*/__pycache__/*' -print0 | sort -z | xargs -0 sha256sum
  pkg-config --modversion pnetcdf hdf5-openmpi netcdf-mpi 2>/dev/null || true
} | sha256sum)
case "$(cat "$stamp_file" 2>/dev/null)" in "$stamp ${parts[*]}" | "$stamp library programs") exit 0 ;; esac

build_preset "$preset" "${libraries[@]}" $([ "$PROGRAMS" = no ] || echo programs)
prefix=$PWD/build/$preset/prefix
rm -rf "$prefix"
for part in "${parts[@]}"; do
  quietly "package-$mpi-$part" cmake --install "build/$preset" --prefix "$prefix" --component "$part"
done
say "building the Python package ($mpi) and installing it in ${target[1]:-.venv}"
CC=gcc CXX=g++ CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) quietly "package-$mpi" .venv/bin/python -m pip install --quiet \
  --no-input --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall "${target[@]}" \
  --config-settings=cmake.source-dir=python --config-settings="cmake.define.esker_DIR=$prefix/lib/cmake/esker" \
  --config-settings="build-dir=build/python-$mpi" .
mkdir -p "$(dirname "$stamp_file")"
echo "$stamp ${parts[*]}" >"$stamp_file"
