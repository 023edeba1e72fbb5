#!/usr/bin/env bash
# Tests the atmosphere miniapp's files with uxarray, which is too large for the development environment (1.1 GB, with
# numba, polars, dask): it gets one of its own, build/uxarray.
#
#   scripts/uxarray.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

if [ ! -x build/uxarray/bin/python ] || ! cmp -s scripts/requirements-uxarray.txt build/uxarray/requirements.txt; then
  say "making the Python environment build/uxarray"
  quietly uxarray-venv .venv/bin/python -m venv --clear build/uxarray
  quietly uxarray-pip build/uxarray/bin/python -m pip install --quiet --no-input --disable-pip-version-check \
    -r scripts/requirements-uxarray.txt
  cp scripts/requirements-uxarray.txt build/uxarray/requirements.txt
fi
build_preset release esker-gcrm
scripts/install_package.sh
UXARRAY_PYTHON=$project_root/build/uxarray/bin/python GCRM_PROGRAM=$project_root/build/release/miniapps/gcrm/esker-gcrm \
  .venv/bin/python -m pytest tests/python/test_gcrm.py
