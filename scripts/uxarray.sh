#!/usr/bin/env bash
# Tests the atmosphere miniapp's files with uxarray, which is too large for the development environment (1.1 GB, with
# numba, polars, dask) and is therefore installed in a separate one, build/uxarray.
#
#   scripts/uxarray.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

make_tool_environment uxarray
build_preset release esker-gcrm
scripts/install_package.sh
UXARRAY_PYTHON=$project_root/build/uxarray/bin/python GCRM_PROGRAM=$project_root/build/release/miniapps/gcrm/esker-gcrm \
  .venv/bin/python -m pytest tests/python/test_gcrm.py
