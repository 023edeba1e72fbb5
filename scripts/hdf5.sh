#!/usr/bin/env bash
# Builds the HDF5 library that wheels contain, build/hdf5/prefix, from Debian's sources; once.
#
# Debian's own library reads from S3, and so needs curl, OpenSSL and Kerberos, which a wheel should not bring: its users
# would not get their security updates. This one has the same version without that part. It is static, so that
# its names do not meet those of another HDF5 in the same process. pkg-config: hdf5-wheel, in build/hdf5/prefix/lib/pkgconfig.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
. scripts/debian_source.sh

root=$PWD/build/hdf5
stamp=$(sha256sum scripts/hdf5.sh)
[ "$(cat "$root/stamp" 2>/dev/null)" != "$stamp" ] || exit 0

# A program of HDF5's configuration writes to the current directory.
build() (
  mkdir "$root/build" && cd "$root/build" || exit
  cmake -G Ninja "$root"/source/hdf5-*/ -DCMAKE_INSTALL_PREFIX="$root/prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_C_FLAGS=-w -DBUILD_SHARED_LIBS=OFF \
    -DBUILD_TESTING=OFF -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_UTILS=OFF -DHDF5_BUILD_HL_LIB=OFF \
    -DHDF5_BUILD_CPP_LIB=OFF -DHDF5_ENABLE_Z_LIB_SUPPORT=ON -DHDF5_ENABLE_SZIP_SUPPORT=ON -DHDF5_ENABLE_SZIP_ENCODING=ON &&
    cmake --build . --parallel "$(nproc)" && cmake --install .
)

describe() {
  local version
  version=$(sed -n 's/.*H5_VERS_INFO *"HDF5 library version: \([0-9.]*\).*/\1/p' "$root/prefix/include/H5public.h")
  cat >"$root/prefix/lib/pkgconfig/hdf5-wheel.pc" <<PC
prefix=$root/prefix
Name: hdf5-wheel
Description: HDF5 for Esker's wheels
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib -lhdf5 -lsz -lz -ldl -lm
PC
}

say "building HDF5 for wheels (build/hdf5)"
rm -rf "$root"
quietly hdf5-download download_debian_source hdf5 "$root"
quietly hdf5-build build
describe
rm -rf "$root"/{build,source}
echo "$stamp" >"$root/stamp"
