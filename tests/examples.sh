#!/usr/bin/env bash
# Runs the examples: what C writes and what C++ writes are the same files, and both read both.
#
#   tests/examples.sh PROGRAMS_DIRECTORY MPIEXEC...     mpiexec with all its arguments for three ranks
set -euo pipefail
programs=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
expected='thk: 75 x 75 samples, first 1, last 3'

for writer in c cc; do
  mkdir "$work/$writer"
  cd "$work/$writer"
  "$@" "$programs/write_$writer"
  for reader in c cc; do
    found=$("$programs/read_$reader")
    [ "$found" = "$expected" ] || { echo "write_$writer, read_$reader: '$found', expected '$expected'"; exit 1; }
  done
  rm run.report.json # times differ
done
diff -r "$work/c" "$work/cc"

# Another run goes on.
cp -r "$work/cc" "$work/more"
cd "$work/more"
"$@" "$programs/append_cc"
[ "$("$programs/read_c")" = "$expected" ] || { echo "append_cc: other samples"; exit 1; }
grep -q '^0 1 time_' run.idx || { echo "append_cc: expected two steps"; exit 1; }

# An error has a message and a status.
cd "$work"
if "$programs/read_c" 2>errors; then echo "read_c succeeds without a dataset"; exit 1; fi
grep -q 'run.idx' errors
if (cd c && "$@" "$programs/write_c" 2>../errors); then echo "write_c overwrites"; exit 1; fi
grep -q 'run.idx' errors
echo "examples: good"
