#!/usr/bin/env bash
# The demo of adaptive output: a lifted flame on 4 MPI ranks keeps full resolution where it is hot, and restarts.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

out=demo/s3d
program=build/release/miniapps/s3d/esker-s3d

rm -rf "$out"
require_free_mb 1000

build_preset release esker-s3d
PROGRAMS=no scripts/install_package.sh
mkdir -p "$out"

flame() { # RANKS ARGUMENTS...
  mpiexec.openmpi -n "$1" "$program" "${@:2}" || die "the run failed with status $?; see the messages above"
}
bytes_of() { # DATASET: its .idx and the directory with its blocks
  du -scb "$1" "${1%.idx}" | tail -n 1 | cut -f 1
}

say "running the flame on 4 ranks; adaptive output every 60 steps, a full checkpoint at the end"
flame 4 --nx 128 --ny 96 --nz 64 --steps 240 --every 60 --out "$out/flame.idx" --checkpoint "$out/full.idx"
say "esker verify"
esker verify "$out/flame.idx"
esker verify "$out/full.idx"

say "a smaller flame: 40 steps on 4 ranks, and 20 steps on 2 ranks with a restart on 3"
small=(--quiet --nx 48 --ny 36 --nz 24)
flame 4 "${small[@]}" --steps 40 --checkpoint "$out/whole.idx"
flame 2 "${small[@]}" --steps 20 --checkpoint "$out/half.nc" --format cdf5
flame 3 --quiet --steps 20 --restart "$out/half.nc" --checkpoint "$out/rest.nc4" --format netcdf4
esker diff "$out/whole.idx" "$out/rest.nc4"

say "drawing $out/flame.png, and comparing what is kept with the checkpoint"
python scripts/s3d_figure.py "$out/full.idx" "$out/flame.idx" "$out/flame.png"

steps=5
adaptive=$(($(bytes_of "$out/flame.idx") / steps)) full=$(bytes_of "$out/full.idx")
cat <<TXT

Results:
  $out/flame.png    temperature: full, as stored, upsampled; the levels that are stored
  $out/flame.idx    $steps steps with the hot regions: $((adaptive / 1000000)) MB each
  $out/full.idx     the last step as a whole: $((full / 1000000)) MB

The adaptive output stores $((100 * adaptive / full)) % of the bytes.
TXT
