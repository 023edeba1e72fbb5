#!/bin/sh
# end_to_end.sh ESKER_UINTAH MPIEXEC NUMPROC_FLAG
#
# Runs esker-uintah in all modes on 1, 2, 4 and 7 ranks. Each run checks all values that it reads back. All files are
# compared byte for byte. One mesh has fewer patches on its coarsest level than there are ranks. Then the exit codes: 2
# for wrong usage, 1 for output that exists and for a directory that cannot be created.
# Without ESKER_TEST_ALL_RUNS: fewer runs, on fewer ranks.
set -eu
program=$1 mpiexec=$2 numproc=$3
. "$(dirname "$0")/../runs.sh"

modes=flat,file-per-patch,level-by-level

run() { # NAME RANKS ARGUMENTS...
  into=$1 on=$2
  shift 2
  run_in "$into" "$on" --out amr.idx --coarse-patch 9 --fine-patch 6 "$@"
  n_checked=$(grep -c 'all values are as expected' "$work/$into.log") || true
  n_modes=$(grep -cE '^(flat|file-per-patch|level-by-level)  ' "$work/$into.log") || true
  if [ "$n_modes" = 0 ] || [ "$n_checked" != "$n_modes" ]; then
    echo "$into: $n_checked of $n_modes modes were checked"
    exit 1
  fi
}

for n in $ranks_of_runs; do
  run "small.$n" "$n" --patches 2 1 1 --steps 2 --modes "$modes"
  cmp "$work/small.1.sums" "$work/small.$n.sums"
  cmp "$work/small.1.state" "$work/small.$n.state"
  run "deep.$n" "$n" --patches 1 1 1 --levels 4 --steps 1 --modes flat
  cmp "$work/deep.1.sums" "$work/deep.$n.sums"
done
expect 0 1 --help
expect 2 2 --no-such-option
all_runs || exit 0

run default 4 --steps 1 --levels 2 --modes flat,file-per-patch
expect 2 2
expect 2 2 --out "$work/x.idx" --fine-patch 5
expect 2 2 --out "$work/x.idx" --modes none
expect 2 2 --out "$work/x.idx" -o no_such=1
for mode in flat file-per-patch level-by-level; do
  expect 1 2 --patches 1 1 1 --steps 1 --modes "$mode" --out "$work/small.1/amr.idx"
  expect 1 2 --patches 1 1 1 --steps 1 --modes "$mode" --out "$work/small.1.log/x.idx"
done
echo "all values are right, and the datasets' bytes are the same on 1, 2, 4 and 7 ranks"
