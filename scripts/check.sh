#!/usr/bin/env bash
# Everything that `make test` leaves out, the most valuable first.
#
#   scripts/check.sh [MINUTES]      stops after that time; without it, runs all
#
# Ends with the closing lines of the suites (scripts/test.sh), and with what was stopped or not started. Exit status 0 if
# none failed.
set -uo pipefail
cd "$(dirname "$0")/.."

suites=(mpich-smoke serial-smoke slow python-slow compilers configurations sanitize clang smpi threads mpich fuzz docs release-files serial debug)
least_s=60  # less is not worth the start
end_s=$((60 * ${1:-100000}))
ran=() not_run=() failed=0

for suite in "${suites[@]}"; do
  left_s=$((end_s - SECONDS))
  if [ "$left_s" -lt "$least_s" ]; then
    not_run+=("$suite")
    continue
  fi
  timeout --kill-after=30 "$left_s" scripts/test.sh "$suite"
  status=$?
  if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
    not_run+=("$suite, stopped after $left_s s: build/logs/$suite-test.log")
  else
    ran+=("$suite")
    [ "$status" -eq 0 ] || failed=1
  fi
done

echo
for suite in "${ran[@]}"; do cat "build/logs/$suite-closing.log"; done
[ "${#not_run[@]}" -eq 0 ] || printf 'not run for lack of time: %s\n' "${not_run[@]}"
exit "$failed"
