#!/bin/sh
# end_to_end.sh ESKER_GCRM MPIEXEC NUMPROC_FLAG
#
# Runs esker-gcrm on 1, 2, 4 and 7 ranks in both arrangements and precisions, and compares all files of the
# datasets byte for byte; both arrangements end in the same state. Then the exit codes: 2 for wrong usage, 1 for a
# directory that cannot be created, a dataset that exists and a report that cannot be written.
# Without ESKER_TEST_ALL_RUNS: fewer runs, on fewer ranks.
set -eu
program=$1 mpiexec=$2 numproc=$3
. "$(dirname "$0")/../runs.sh"

run() { # NAME RANKS ARGUMENTS...
  into=$1 on=$2
  shift 2
  run_in "$into.$on" "$on" --report "../$into.$on.json" "$@"
}

same_on_all_ranks() { # NAME ARGUMENTS...
  of=$1
  shift
  for n in $ranks_of_runs; do
    run "$of" "$n" "$@"
    cmp "$work/$of.1.sums" "$work/$of.$n.sums"
  done
}

arguments="--level 3 --layers 3 --days 0.25 --output-interval 1/8"
same_on_all_ranks panels --output run.idx --format idx $arguments
same_on_all_ranks cells --output run.nc --format cdf5 $arguments
cmp "$work/panels.1.state" "$work/cells.1.state"
expect 0 1 --help
expect 2 2 --no-such-option
all_runs || exit 0

same_on_all_ranks cells8 --output run.nc --format cdf --precision f8 --stripe 64K $arguments
cmp "$work/panels.1.state" "$work/cells8.7.state"
# Cells and panels of the same steps, from one run: the files are those of two.
for n in 1 4; do
  run both "$n" --output run.nc --format cdf5 --panels panels/run.idx $arguments
  cat "$work/cells.1.sums" "$work/panels.1.sums" | LC_ALL=C sort > "$work/two.sums"
  sed 's|  ./panels/|  ./|' "$work/both.$n.sums" | LC_ALL=C sort | cmp - "$work/two.sums"
done
run several 2 --level 2 --layers 1 --days 0.5 --output-interval 1/2,1/4 --output run.nc --format cdf
grep -q run-1_4.nc "$work/several.2.sums"
grep -q run-1_2.nc "$work/several.2.sums"

expect 2 2 --output "$work/x.idx" -o no_such=1
expect 1 2 --output "$work/panels.1.log/x.idx" --level 1
expect 1 2 --output "$work/panels.1/run.idx" --level 1
expect 1 2 --output "$work/x.idx" --level 1 --report "$work/none/x.json"
echo "the datasets' bytes are the same on 1, 2, 4 and 7 ranks"
