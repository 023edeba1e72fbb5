#!/usr/bin/env bash
# Tests the files of the miniapps with the IOOS compliance checker, for the CF conventions. It brings pyproj, shapely and
# more (230 MB), so it gets an environment of its own, build/cf. The table of standard names is the one that it ships.
#
#   scripts/cf.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

make_tool_environment cf
build_preset release esker-gcrm esker-pop
scripts/install_package.sh
CF_CHECKER=$project_root/build/cf/bin/compliance-checker \
  GCRM_PROGRAM=$project_root/build/release/miniapps/gcrm/esker-gcrm \
  POP_PROGRAM=$project_root/build/release/miniapps/pop/esker-pop .venv/bin/python -m pytest tests/python/test_cf.py
