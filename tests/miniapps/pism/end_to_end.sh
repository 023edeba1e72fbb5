#!/bin/sh
# end_to_end.sh ESKER_PISM INPUT MPIEXEC NUMPROC_FLAG
#
# Runs esker-pism on 1, 2, 4 and 7 ranks on a coarse Greenland, on 1 and 7 on a resampled one, on a dome with
# refined levels and on Halfar's isothermal dome; each step is verified by every rank, and all files of the
# datasets are compared byte for byte; those of the coarse Greenland also with what OTHER_PISM writes under
# OTHER_MPIEXEC, if the environment names such a program, built with another MPI. Then the exit
# codes: 2 for wrong usage, 1 for missing input, for ice above the highest level, for a folder that cannot be made and
# for a dataset that exists.
# Without ESKER_TEST_ALL_RUNS: fewer runs, on fewer ranks.
set -eu
program=$1 input=$2 mpiexec=$3 numproc=$4
. "$(dirname "$0")/../runs.sh"

run() { # NAME RANKS ARGUMENTS...
  into=$1 on=$2
  shift 2
  run_in "$into.$on" "$on" --output run.idx --verify "$@"
}

same_on() { # "RANKS..." NAME ARGUMENTS...: the first and all other numbers of ranks write the same bytes
  counts=$1 of=$2
  shift 2
  for n in $counts; do run "$of" "$n" "$@"; done
  for n in $counts; do cmp "$work/$of.${counts%% *}.sums" "$work/$of.$n.sums"; done
}

precisions=f4 formats=idx
! all_runs || precisions='f4 f8' formats='idx netcdf4 cdf5'
for precision in $precisions; do
  arguments="--grid-coarsen 8 --levels 9 --output-steps 2 --output-interval 5 --precision $precision"
  same_on "$ranks_of_runs" $precision --input "$input" $arguments
  if [ -n "${OTHER_PISM:-}" ]; then
    (program=$OTHER_PISM mpiexec=$OTHER_MPIEXEC && run $precision.other 4 --input "$input" $arguments)
    cmp "$work/$precision.1.sums" "$work/$precision.other.4.sums"
  fi
done
if all_runs; then
  same_on '1 7' resampled --input "$input" --grid a10km --levels 2 --output-steps 1
  same_on '1 7' vialov --dome vialov --grid-points 41,31 --grid-spacing 60000 --levels 9 --z-spacing quadratic \
    --output-steps 2 --output-interval 3
  same_on '1 7' halfar --dome halfar --isothermal --grid-points 25,25 --grid-spacing 80000 --levels 3 \
    --output-steps 2 --output-interval 500
fi
# Two runs of one interval, the second from the state of the first, end as one run of both, to the bit; from every format.
long="--input $input --grid-coarsen 8 --levels 9 --output-interval 5 --precision f8"
run whole 2 $long --output-steps 3
for format in $formats; do
  mkdir "$work/first.$format"
  (cd "$work/first.$format" && "$mpiexec" "$numproc" 4 "$program" -o report=none -o format=$format $long --output-steps 2 \
    --output run --quiet)
  run "second.$format" 7 --restart "$work/first.$format/run" --output-interval 5 --output-steps 2 --precision f8
  cmp "$work/whole.2.state" "$work/second.$format.7.state"
done
expect 0 2 --help
expect 2 2 --no-such-option
expect 1 2 --input "$work/missing.nc" --output "$work/x.idx"
all_runs || exit 0

# The modes without a library write the same bytes, on any number of ranks.
for mode_on in 'gather 1' 'gather 4' 'nodes 7' 'collective 1' 'collective 7'; do
  mode=${mode_on% *} n=${mode_on#* }
  (esker_options="" && run_in "$mode.$n" "$n" --input "$input" --grid-coarsen 8 --levels 9 --output-steps 2 \
    --output-interval 5 --output run.raw --verify --mode "$mode")
  cmp "$work/gather.1/run.raw" "$work/$mode.$n/run.raw"
done
test "$(wc -c < "$work/gather.1/run.raw")" -gt 100000
expect 1 2 --input "$input" --grid-coarsen 8 --levels 9 --output "$work/gather.1/run.raw" --mode nodes
expect 2 2 --input "$input" --output "$work/x.raw" --mode gather -o compression=zip
expect 2 2 --input "$input" --output "$work/x.raw" --mode gather -o aggregators=2
expect 2 2 --input "$input" --plan 4 --mode gather
expect 1 2 --restart "$work/f4.1/run.idx" --output "$work/x.idx"
expect 1 2 --restart "$work/missing.idx" --output "$work/x.idx"
expect 2 2 --restart "$work/f8.1/run.idx" --levels 9 --output "$work/x.idx"
expect 2 2 --restart "$work/f8.1/run.idx" --input "$input" --output "$work/x.idx"
expect 2 2 --input "$input" --output "$work/x.idx" -o no_such=1
expect 2 2 --input "$input" --dome halfar --output "$work/x.idx"
expect 1 2 --input "$work/missing.nc" --grid a10km --output "$work/x.idx"
expect 1 2 --dome halfar --ice-height 3000 --output "$work/x.idx"
expect 1 2 --input "$input" --output "$input/x.idx" --grid-coarsen 8 --levels 3
expect 1 2 --input "$input" --output "$work/f4.1/run.idx" --grid-coarsen 8 --levels 3
echo "the dataset's bytes are the same on 1, 2, 4 and 7 ranks"
