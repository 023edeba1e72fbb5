#!/usr/bin/env bash
# Builds the Python package with the command `esker` and installs both in .venv/; only when a source changed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

stamp=$(find CMakeLists.txt pyproject.toml cmake include src python -type f ! -path '*/__pycache__/*' -print0 |
  sort -z | xargs -0 sha256sum | sha256sum)
[ "$(cat .venv/package.stamp 2>/dev/null)" != "$stamp" ] || exit 0
say "building the Python package (build/python) and installing it in .venv"
CC=gcc CXX=g++ CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) quietly package .venv/bin/python -m pip install --quiet --no-input \
  --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
  --config-settings cmake.define.ESKER_WERROR=ON .
echo "$stamp" >.venv/package.stamp
