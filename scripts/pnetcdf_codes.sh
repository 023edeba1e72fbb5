#!/usr/bin/env bash
# Makes build/pnetcdf: the sources of PnetCDF, and FLASH-IO built with Debian's PnetCDF and Open MPI, for the tests
# of the library that takes its place (tests/pnetcdf/certify.py) and for bench/pnetcdf/run.py:
#
#   source/pnetcdf-*   Debian's source package
#   source/netcdf-*    that of netCDF-C, for its tests
#   flash-io/flash     FLASH-IO, which is in PnetCDF's package
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
}

# Four times the blocks of its Makefile: 145 MB on 4 ranks.
build_flash() {
  rm -rf "$root/flash-io" && cp -r "$root"/source/pnetcdf-*/benchmarks/FLASH-IO "$root/flash-io" && cd "$root/flash-io"
  mpif90.openmpi -w -O2 -fallow-argument-mismatch -DN_DIM=3 -DMAXBLOCKS=400 -DIONMAX=13 -I. -I"$module" ./*.F90 \
    -o flash -lpnetcdf
}

fetch
module=$(dirname "$(find /usr/lib -path '*gfortran-mod-*/pnetcdf.mod' -print -quit)")
[ -x "$root/flash-io/flash" ] || (quietly flash-io build_flash)
