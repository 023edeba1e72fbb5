# Runs of a model, and their exit codes. To be sourced by an end_to_end.sh that has set `program`, `mpiexec` and
# `numproc`; the files are below "$work".
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

# `all_runs`: whether the test has all runs of the script, or only those that tell a user that the program works here.
all_runs() { [ -n "${ESKER_TEST_ALL_RUNS:-}" ]; }
ranks_of_runs='1 4'
! all_runs || ranks_of_runs='1 2 4 7'

# Runs in the new directory NAME with an aggregator per rank, unless `esker_options` is set; NAME.log is what it printed, NAME.state the checksum of its last state, NAME.sums
# those of its files.
run_in() { # NAME RANKS ARGUMENTS...
  name=$1 ranks=$2
  shift 2
  mkdir "$work/$name"
  if ! (cd "$work/$name" && "$mpiexec" "$numproc" "$ranks" "$program" \
    ${esker_options--o report=none -o aggregators=$ranks} "$@") \
    > "$work/$name.log"; then
    cat "$work/$name.log"
    exit 1
  fi
  (cd "$work/$name" && find . -type f | LC_ALL=C sort | xargs sha256sum) > "$work/$name.sums"
  test -s "$work/$name.sums"
  sed -n 's/^state *//p' "$work/$name.log" > "$work/$name.state"
  test -s "$work/$name.state"
}

expect() { # EXIT_CODE RANKS ARGUMENTS...
  wanted=$1 ranks=$2 code=0
  shift 2
  "$mpiexec" "$numproc" "$ranks" "$program" "$@" > "$work/log" 2>&1 || code=$?
  if [ "$code" != "$wanted" ]; then
    echo "${program##*/} $*: exit $code, expected $wanted"
    cat "$work/log"
    exit 1
  fi
}
