#!/usr/bin/env bash
# Builds the source distribution and the wheel of the Python package in build/wheel/dist; only when a source changed.
#
#   scripts/wheel.sh
#
# The wheel has no MPI and brings its libraries (auditwheel). It serves all Pythons from 3.11 on: it is built for the stable
# ABI, and what nanobind itself compiles comes from the package nanobind-backend, on which only the wheel depends.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

root=$PWD/build/wheel
stamp=$(find CMakeLists.txt LICENSE README.md pyproject.toml cmake include plugins python src scripts/{debian_source,hdf5,wheel}.sh \
  scripts/requirements-wheel.txt -type f ! -path '*/__pycache__/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum)
[ "$(cat "$root/stamp" 2>/dev/null)" != "$stamp" ] || exit 0

# From the unpacked source distribution. Its build has the paths of build/release, relative to the sources, so that ccache
# finds most objects.
build_wheel() {
  tar -xf "$root"/dist/esker-*.tar.gz -C "$root/source" --strip-components=1
  sed -i 's/^dependencies = \[/&"nanobind-backend>=1", /' "$root/source/pyproject.toml"
  CC=gcc CXX=g++ CCACHE_BASEDIR=$root/source CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) PKG_CONFIG_PATH=$PWD/build/hdf5/prefix/lib/pkgconfig \
    LDFLAGS="-Wl,--exclude-libs,ALL -Wl,--as-needed" .venv/bin/python -m pip wheel --quiet --no-input \
    --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir "$root/raw" --config-settings=wheel.py-api=cp311 \
    --config-settings=cmake.define.ESKER_PYTHON_STABLE_ABI=ON --config-settings=cmake.define.ESKER_MPI=OFF \
    --config-settings=cmake.define.ESKER_HDF5=hdf5-wheel --config-settings=cmake.define.ESKER_WERROR=ON "$root/source"
}

bundle_libraries() {
  PATH=$PWD/build/wheel-tools/bin:$PATH build/wheel-tools/bin/auditwheel repair --wheel-dir "$root/dist" "$root"/raw/*.whl
}

make_tool_environment wheel wheel-tools
scripts/hdf5.sh
say "building the wheel (build/wheel/dist)"
rm -rf "$root"
mkdir -p "$root"/{source,dist}
quietly wheel-sdist .venv/bin/python -c \
  'import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])' "$root/dist"
quietly wheel-build build_wheel
quietly wheel-auditwheel bundle_libraries
rm -rf "$root"/{source,raw}
echo "$stamp" >"$root/stamp"
