#!/bin/sh
# end_to_end.sh ESKER_S3D MPIEXEC NUMPROC_FLAG HAVE_HDF5
#
# Runs esker-s3d on 1, 2, 4 and 7 ranks, and compares all files of the adaptive output and of the checkpoints byte for
# byte. Runs of half the steps write checkpoints in all formats; a run on another number of ranks continues from each,
# on its grid, and ends with the same bytes as the run of all steps. Then the exit codes: 2 for wrong usage, 1 for too
# many ranks, a checkpoint that is missing or of another grid than given, a directory that cannot be created and a
# dataset that exists.
# Without ESKER_TEST_ALL_RUNS: fewer runs, on fewer ranks.
set -eu
program=$1 mpiexec=$2 numproc=$3 have_hdf5=$4
. "$(dirname "$0")/../runs.sh"

run() { # NAME RANKS ARGUMENTS...
  into=$1 on=$2
  shift 2
  run_in "$into" "$on" --nx 33 --ny 25 --nz 17 "$@"
}

for n in $ranks_of_runs; do
  run "whole.$n" "$n" --steps 20 --every 10 --out run.idx --checkpoint full.nc --format cdf5
  cmp "$work/whole.1.sums" "$work/whole.$n.sums"
  cmp "$work/whole.1.state" "$work/whole.$n.state"
done
formats=cdf5
! all_runs || formats='idx cdf1 cdf2 cdf5 cdf5+idx'
[ "$have_hdf5" = 0 ] || ! all_runs || formats="$formats netcdf4"
for format in $formats; do
  run "half.$format" 2 --steps 10 --checkpoint half --format "$format"
  run_in "rest.$format" 3 --steps 10 --restart "../half.$format/half" --checkpoint full.nc --format cdf5
  cmp "$work/whole.1/full.nc" "$work/rest.$format/full.nc"
  cmp "$work/whole.1.state" "$work/rest.$format.state"
done
expect 0 1 --help
expect 2 2 --no-such-option
all_runs || exit 0

run several 2 --steps 20 --checkpoint full.nc --format cdf5 --checkpoint-every 10
run rest.several 4 --steps 0 --restart ../several/full.nc --checkpoint full.nc --format cdf5
cmp "$work/whole.1/full.nc" "$work/rest.several/full.nc"

expect 2 2 --out "$work/x.idx" -o no_such=1
expect 2 2 --restart "$work/whole.1/full.nc"
expect 1 7 --nx 8 --ny 8 --nz 8 --out "$work/x.idx"
expect 1 2 --restart "$work/missing.nc" --out "$work/x.idx"
expect 1 2 --restart "$work/whole.1/full.nc" --nx 48 --out "$work/x.idx"
expect 1 2 --steps 1 --out "$work/whole.1.log/x.idx"
expect 1 2 --steps 1 --out "$work/whole.1/run.idx"
echo "the datasets' bytes are the same on 1, 2, 4 and 7 ranks, and after a restart"
