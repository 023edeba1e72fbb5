#!/bin/sh
# end_to_end.sh ESKER_JACOBI MPIEXEC NUMPROC_FLAG
#
# Runs esker-jacobi on 1, 2, 4 and 7 ranks, compares each run with the host, and all files byte for byte. Runs of half
# the sweeps write several formats; a run on another number of ranks continues from each, on the GPU, and ends with the
# same bytes as the run of all sweeps. Then the exit codes. The GPU is that of the driver which the loader finds.
# Without ESKER_TEST_ALL_RUNS: fewer runs, on fewer ranks.
set -eu
program=$1 mpiexec=$2 numproc=$3
. "$(dirname "$0")/../runs.sh"

for n in $ranks_of_runs; do
  run_in "whole.$n" "$n" --nx 13 --ny 11 --nz 17 --sweeps 20 --out heat.idx --verify
  grep -q "verified: all cells" "$work/whole.$n.log"
  cmp "$work/whole.1.sums" "$work/whole.$n.sums"
  cmp "$work/whole.1.state" "$work/whole.$n.state"
done
formats=idx
! all_runs || formats='idx cdf5 zarr'
for format in $formats; do
  run_in "half.$format" 2 --nx 13 --ny 11 --nz 17 --sweeps 10 --out half -o "format=$format"
  run_in "rest.$format" 3 --sweeps 10 --restart "../half.$format/half" --out rest.nc -o format=cdf5 --verify
  cmp "$work/whole.1.state" "$work/rest.$format.state"
done
expect 0 1 --help
expect 2 2 --no-such-option
all_runs || exit 0

cmp "$work/rest.idx/rest.nc" "$work/rest.cdf5/rest.nc"
cmp "$work/rest.idx/rest.nc" "$work/rest.zarr/rest.nc"
expect 2 2 --out "$work/x.idx" -o no_such=1
expect 1 7 --nz 5
expect 1 2 --restart "$work/missing.nc"
expect 1 2 --restart "$work/rest.idx/rest.nc" --nx 48
expect 1 2 --sweeps 1 --out "$work/whole.1/heat.idx"
echo "the host computes the same, and datasets' bytes are the same on 1, 2, 4 and 7 ranks, and after a restart"
