#!/usr/bin/env bash
# Runs the examples: what C, C++ and Fortran (where it is compiled) write are the same files, and all read all.
#
#   tests/examples.sh PROGRAMS_DIRECTORY MPIEXEC...     mpiexec with all its arguments for three ranks
set -euo pipefail
programs=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
expected='thk: 75 x 75 samples, first 1, last 3'

languages=(c cc)
[ ! -e "$programs/write_f90" ] || languages+=(f90)

for writer in "${languages[@]}"; do
  mkdir "$work/$writer"
  cd "$work/$writer"
  "$@" "$programs/write_$writer"
  for reader in "${languages[@]}"; do
    found=$("$programs/read_$reader")
    [ "$found" = "$expected" ] || { echo "write_$writer, read_$reader: '$found', expected '$expected'"; exit 1; }
  done
  rm run.report.json # times differ
done
for writer in "${languages[@]}"; do
  diff -r "$work/c" "$work/$writer"
done

# Ranks read together.
(cd "$work/cc" && "$@" "$programs/restart_cc")

# Another run goes on.
cp -r "$work/cc" "$work/more"
cd "$work/more"
"$@" "$programs/append_cc"
[ "$("$programs/read_c")" = "$expected" ] || { echo "append_cc: other samples"; exit 1; }
grep -q '^0 1 time_' run.idx || { echo "append_cc: expected two steps"; exit 1; }

# An error has a message and a status.
cd "$work"
for language in "${languages[@]}"; do
  [ "$language" != cc ] || continue  # an exception
  if "$programs/read_$language" 2>errors; then echo "read_$language succeeds without a dataset"; exit 1; fi
  grep -q 'run.idx' errors
  if (cd c && "$@" "$programs/write_$language" 2>../errors); then echo "write_$language overwrites"; exit 1; fi
  grep -q 'run.idx' errors
done
echo "examples: good"
