#!/usr/bin/env bash
# The demo of meshes: the patches around a moving blob and a turning ring, written by 4 MPI ranks in three ways.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

out=demo/amr
program=build/release/miniapps/uintah/esker-uintah

rm -rf "$out"
require_free_mb 3000

build_preset release esker-uintah
PROGRAMS=no scripts/install_package.sh
mkdir -p "$out"

say "running on 4 ranks; each mode writes 6 steps, and reads back all values"
mpiexec.openmpi -n 4 "$program" --patches 3 3 3 --steps 6 --out "$out/amr.idx" --modes flat,file-per-patch,level-by-level ||
  die "the run failed with status $?; see the messages above"
say "esker verify"
esker verify "$out/amr.idx"

say "drawing $out/amr.png, and comparing what is stored with the list of patches"
python scripts/uintah_figure.py "$out/amr.idx" "$out/amr.png" --step 0

cat <<TXT

Results:
  $out/amr.png       the first step: patches of the mesh, temperature, the levels that are stored
  $out/amr.idx       flat: one dataset with all levels
  $out/amr.patches/  a file per patch, and a list of them
  $out/amr.levels/   a dataset per level
TXT
