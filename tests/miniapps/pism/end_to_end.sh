#!/bin/sh
# end_to_end.sh ESKER_PISM INPUT MPIEXEC NUMPROC_FLAG
#
# Runs esker-pism on 1, 2, 4 and 7 ranks on a coarse Greenland, each step verified by every rank, and
# compares all files of the datasets byte for byte. Then the exit codes: 2 for wrong usage, 1 for missing
# input, for a folder that cannot be made and for a dataset that exists.
set -eu
program=$1 input=$2 mpiexec=$3 numproc=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

run() { # RANKS PRECISION
  mkdir "$work/$2.$1"
  (cd "$work/$2.$1" && "$mpiexec" "$numproc" "$1" "$program" --input "$input" --output run.idx \
    --grid-coarsen 8 --levels 9 --output-steps 2 --output-interval 5 --precision "$2" --verify -o report=none -o aggregators="$1")
  (cd "$work/$2.$1" && find . -type f | LC_ALL=C sort | xargs sha256sum) > "$work/$2.$1.sums"
  test -s "$work/$2.$1.sums"
}

expect() { # EXIT_CODE ARGUMENTS...
  wanted=$1 code=0
  shift
  "$mpiexec" "$numproc" 2 "$program" "$@" > "$work/log" 2>&1 || code=$?
  if [ "$code" != "$wanted" ]; then
    echo "esker-pism $*: exit $code, expected $wanted"
    cat "$work/log"
    exit 1
  fi
}

for precision in f4 f8; do
  for ranks in 1 2 4 7; do run $ranks $precision; done
  for ranks in 2 4 7; do cmp "$work/$precision.1.sums" "$work/$precision.$ranks.sums"; done
done
expect 0 --help
expect 2 --no-such-option
expect 2 --input "$input" --output "$work/x.idx" -o no_such=1
expect 1 --input "$work/missing.nc" --output "$work/x.idx"
expect 1 --input "$input" --output "$input/x.idx" --grid-coarsen 8 --levels 3
expect 1 --input "$input" --output "$work/f4.1/run.idx" --grid-coarsen 8 --levels 3
echo "the dataset's bytes are the same on 1, 2, 4 and 7 ranks"
