#!/usr/bin/env bash
# The demo: an ice-sheet model of Greenland on 4 MPI ranks writes a dataset, checks it, and shows it.
#
#   [MPI=openmpi|mpich] scripts/demo.sh     Open MPI by default; the dataset's bytes are the same
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

case ${MPI:=openmpi} in
  openmpi) preset=release targets=(esker-pism) preload= ;;
  mpich) preset=mpich targets=(esker-pism yielding_mpich) preload=$PWD/build/mpich/tests/libyielding_mpich.so ;;
  *) die "MPI: expected openmpi or mpich, found '$MPI'" ;;
esac

rm -rf demo
require_free_mb 1500

in_background scripts/setup.sh
python_environment=$!
build_preset "$preset" "${targets[@]}"
wait "$python_environment"
PROGRAMS=no scripts/install_package.sh

mkdir demo
say "running the ice-sheet model on 4 ranks; after each step every rank reads its patch and compares it"
LD_PRELOAD=$preload "mpiexec.$MPI" -n 4 "build/$preset/miniapps/pism/esker-pism" \
  --input data/greenland_5km.nc --output demo/greenland --levels 61 --output-steps 4 --output-interval 5 --verify ||
  die "the run failed with status $?; see the messages above"

say "esker info demo/greenland"
esker info demo/greenland
say "esker verify demo/greenland"
esker verify demo/greenland
say "comparing every field, step, level and block with what OpenVisus reads, during the next steps"
export ESKER_TEST_DATASET=$PWD/demo/greenland
in_background quietly demo-openvisus python -m pytest -q tests/python/test_openvisus.py
openvisus=$!
say "drawing demo/greenland.png from the dataset"
python scripts/demo_figure.py demo/greenland demo/greenland.png
say "writing the last step as Zarr"
esker convert demo/greenland demo/greenland.zarr --step -1 --compression zstd
esker verify demo/greenland.zarr
say "compressing the last step in several ways"
python scripts/demo_compression.py demo/greenland demo/compression.png
wait "$openvisus"
say "OpenVisus reads the same"

cat <<'TXT'

Look at demo/greenland.png: the last step at a coarse and at the full level, read from the same files.

Results:
  demo/greenland.png            thickness, surface speed and temperature, at a coarse and at the full level
  demo/greenland/               the dataset: one .idx file per grid, block files, attributes as JSON
  demo/greenland.zarr           the last step as Zarr, for xarray and object stores
  demo/compression.png          the error that compression makes in the surface speed
  demo/greenland.report.json    time of each phase, messages, memory and options of the run

Next steps:
  . scripts/env.sh              # puts the command `esker` in PATH
  esker view demo/greenland     # in the browser: zoom, play the steps, click for a time series
  esker info demo/greenland --json
  esker plot demo/greenland velsurf_mag --log -o demo/speed.png
  esker plot demo/greenland temp --section y=280 --level 20 -o demo/section.png
  python -c 'import esker; print(esker.open("demo/greenland")["thk"].read(step=-1, level=10).shape)'
  python -c 'import xarray as xr; print(xr.open_zarr("demo/greenland.zarr"))'    # pip install xarray zarr
TXT
