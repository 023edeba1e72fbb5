#!/usr/bin/env bash
# Configures Esker without each of its optional parts, and with what no preset has, and compiles what that changes
# (build/without-*, build/with-*). ccache has the objects that are the same.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

# configuration NAME TARGET... -- OPTION...
configuration() {
  local name=$1 targets=()
  shift
  while [ "$1" != -- ]; do targets+=("$1"); shift; done
  say "configuration $name"
  quietly "$name-configure" cmake --preset release -B "build/$name" "${@:2}"
  quietly "$name-build" cmake --build "build/$name" --parallel "$(nproc)" --target "${targets[@]}"
}

configuration without-hdf5 esker esker_mpi esker-bench -- -DESKER_HDF5=OFF
configuration without-mpi esker -- -DESKER_MPI=OFF
configuration without-fortran esker esker_mpi -- -DESKER_FORTRAN=OFF
configuration without-fypp esker esker_mpi -- -DESKER_FYPP=OFF -DESKER_FORTRAN=OFF
configuration without-peers programs -- -DESKER_BENCH_PEERS=OFF
configuration with-peers programs -- -DESKER_BENCH_PEERS=ON
configuration with-shared-libraries esker esker_mpi -- -DBUILD_SHARED_LIBS=ON
configuration without-unity esker esker_mpi -- -DESKER_UNITY=OFF
configuration portable esker esker_mpi -- -DESKER_PORTABLE=ON
