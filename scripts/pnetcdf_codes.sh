#!/usr/bin/env bash
# Makes build/pnetcdf: the sources of PnetCDF, and two codes that are built with Debian's PnetCDF and Open MPI, for the tests
# of the library that takes its place (tests/pnetcdf/certify.py) and for bench/pnetcdf/run.py:
#
#   source/pnetcdf-*   Debian's source package
#   source/netcdf-*    that of netCDF-C, for its tests
#   flash-io/flash     FLASH-IO, which is in it
#   s3d-io/s3d_io.x    S3D-IO (github.com/wkliao/S3D-IO), where git can fetch it or source/S3D-IO has it already
#
# Sources are fetched once. Exit status 77 if those of PnetCDF cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
. scripts/debian_source.sh

root=$PWD/build/pnetcdf

fetch() {
  compgen -G "$root/source/pnetcdf-*/" >/dev/null || {
    say "fetching the sources of PnetCDF (build/pnetcdf)"
    quietly pnetcdf-download download_debian_source pnetcdf "$root" || exit 77
  }
  compgen -G "$root/source/netcdf-*/" >/dev/null || quietly netcdf-download download_debian_source netcdf "$root" || true
  [ -d "$root/source/S3D-IO" ] ||
    GIT_TERMINAL_PROMPT=0 git clone -q --depth 1 https://github.com/wkliao/S3D-IO "$root/source/S3D-IO" 2>/dev/null || true
}

# Four times the blocks of its Makefile: 145 MB on 4 ranks.
build_flash() {
  rm -rf "$root/flash-io" && cp -r "$root"/source/pnetcdf-*/benchmarks/FLASH-IO "$root/flash-io" && cd "$root/flash-io"
  mpif90.openmpi -w -O2 -fallow-argument-mismatch -DN_DIM=3 -DMAXBLOCKS=400 -DIONMAX=13 -I. -I"$module" ./*.F90 \
    -o flash -lpnetcdf
}

# It has random values; the routine that fixes their seed is in its sources, but nothing calls it.
build_s3d() {
  rm -rf "$root/s3d-io" && cp -r "$root/source/S3D-IO" "$root/s3d-io" && cd "$root/s3d-io"
  sed -i 's/^ *call initialize_field$/&\n          call random_set_seed/' solve_driver.f90
  make MPIF90=mpif90.openmpi FCFLAGS='-O2 -w' INC="-I$module" LIBS=-lpnetcdf
}

fetch
module=$(dirname "$(find /usr/lib -path '*gfortran-mod-*/pnetcdf.mod' -print -quit)")
[ -x "$root/flash-io/flash" ] || (quietly flash-io build_flash)
if [ ! -d "$root/source/S3D-IO" ]; then
  say "no sources of S3D-IO: left out (they belong in build/pnetcdf/source/S3D-IO)"
elif [ ! -x "$root/s3d-io/s3d_io.x" ]; then
  (quietly s3d-io build_s3d)
fi
