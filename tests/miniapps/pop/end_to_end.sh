#!/usr/bin/env bash
# The ocean's files are the same on any number of ranks and after a restart, heat and water are conserved, things move, and
# all modes write the same samples of each kind of file. Without
# ESKER_TEST_ALL_RUNS: fewer runs.
#
#   tests/miniapps/pop/end_to_end.sh PROGRAM COMPARE_PROGRAM FILES_TEST CLIMATOLOGY_TEST TEMPERATURE MPIEXEC...
set -euo pipefail
program=$1
compare=$2
files_test=$3
climatology_test=$4
temperature=$5
shift 5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export ESKER_REPORT=none

fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

run() {  # NAME RANKS SETTING...: a run of a small grid whose files go to NAME/
  local name=$1 ranks=$2
  shift 2
  mkdir -p "$name"
  printf '&pop nx=37 ny=22 nz=5 directory="%s" %s /\n' "$name" "$*" >"$name.nml"
  "${mpiexec[@]}" -n "$ranks" "$program" "$name.nml" | tee "$name.log"
}
mpiexec=("$@")
all_runs() { [ -n "${ESKER_TEST_ALL_RUNS:-}" ]; }  # as in ../runs.sh

run one 1 num_steps=12
ranks_of_runs='4' modes=gather
! all_runs || ranks_of_runs='2 4' modes='gather levels sieving collective'
for ranks in $ranks_of_runs; do
  run "ranks_$ranks" "$ranks" num_steps=12
  diff -r one "ranks_$ranks"
done

# Bit-exact restart: 5 steps on 2 ranks and 7 on 4 leave the state, and the mean, of 12.
run first 2 num_steps=5
run second 4 num_steps=7 'restart_from="first/restart.idx"'
diff -r one/restart second/restart
diff -r one/average second/average
! diff -rq first/restart second/restart >same || fail "nothing moves"

awk '/relative change/ { good = $(NF - 1) ^ 2 < 1e-24 && $NF ^ 2 < 1e-24 } END { exit !good }' one.log || fail "heat or water is gained"

for ranks in 1 3 4; do "${mpiexec[@]}" -n "$ranks" "$files_test" "files_$ranks"; done

# Measured temperatures to start from.
for ranks in 1 4; do
  "${mpiexec[@]}" -n "$ranks" "$climatology_test" "$temperature"
  run "sea_$ranks" "$ranks" num_steps=2 "temperature_from=\"$temperature\""
done
diff -r sea_1 sea_4
! diff -rq sea_1/restart one/restart >same || fail "the temperature is not taken"

for mode in $modes; do
  run "$mode" 4 num_steps=12 "mode=\"$mode\""
  "$compare" one/history 1 "$mode/history.6.raw"
  "$compare" one/history 2 "$mode/history.12.raw"
  "$compare" one/movie 5 "$mode/movie.10.raw"
  "$compare" one/restart 1 "$mode/restart.12.raw"
  "$compare" one/average 1 "$mode/average.12.raw"
done
all_runs || exit 0

run gather_one 1 num_steps=12 'mode="gather"'
cmp gather/history.12.raw gather_one/history.12.raw
run two_writers 4 num_steps=12 'mode="levels" writers=2'
cmp gather/restart.12.raw two_writers/restart.12.raw
if "$compare" one/history 1 gather/history.12.raw 2>errors; then fail "other samples are not told apart"; fi

# All modes in one run: the same files, each mode with its share of the time.
run all 4 num_steps=12 'mode="all"'
for mode in $modes; do
  diff -r "$mode" "all/$mode"
  grep -q "^$mode  *[0-9. ]*$" all.log
done
diff -r one all/esker
grep -q '^esker .* 1\.00$' all.log

if run wrong 2 nz=4 num_steps=1 'restart_from="first/restart.idx"' 2>errors; then fail "a restart of another grid"; fi
grep -q "another grid" errors
head -c 1000 "$temperature" >short
if run wrong 2 'temperature_from="short"' 2>errors; then fail "a file that ends too early"; fi
grep -q "short: " errors
if run wrong 2 num_steps=0 2>errors; then fail "no steps"; fi
grep -q "at least 1" errors
if run wrong 2 'mode="fast"' 2>errors; then fail "a mode that is none"; fi
grep -q "expected all, esker" errors
if ! OMPI_MCA_io=ompio run wrong 2 num_steps=1 'mode="sieving"' 2>errors; then grep -q "needs ROMIO" errors; fi
echo "pop: good"
