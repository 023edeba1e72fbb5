#!/usr/bin/env bash
# Runs all given test suites, even if one fails, and ends with the closing lines of their runners.
#
#   scripts/test.sh [SUITE...]     release python (default), slow python-slow (tests with the label `slow`, on the
#                                  release build), compilers (in projects of users), configurations (without optional
#                                  parts), serial-smoke mpich-smoke mpich serial debug sanitize threads clang
#                                  coverage fuzz smpi, glusterfs (on the release build), docs (the site),
#                                  packages (Debian packages, installed; the conda recipe, rendered),
#                                  release-files (those of a release), wheels (the wheel on other systems),
#                                  certify (PnetCDF's own programs, and codes, on the library in its place)
#
# Suites other than those of Python are presets of ctest: built, then run; coverage also prints the figures of each
# layer. Each suite lists its ten slowest tests, and its closing lines are kept in build/logs/SUITE-closing.log. Exit
# status 0 if all passed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

[ $# -gt 0 ] || set -- release python
failed=0

# Builds only what the suite's tests need. With MPICH, the model's files are compared with those of the release build.
run_ctest() {
  local targets=()
  case $1 in mpich*)
    build_preset release esker-pism || return 1
    export OTHER_PISM=$project_root/build/release/miniapps/pism/esker-pism OTHER_MPIEXEC=mpiexec.openmpi ;;
  esac
  [ "$1" != mpich-smoke ] || targets=(smoke esker-pism esker-uintah)
  [ "$1" != fuzz ] || targets=(fuzz)
  [ "$1" != glusterfs ] || targets=(esker-bench)
  [ "$1" != compilers ] || targets=(esker esker_mpi)
  [ "$1" != threads ] || targets=(unit_plan unit_exchange unit_parallel_read unit_read unit_store unit_write)
  local build=${1%-smoke}
  case $1 in slow | compilers | glusterfs) build=release ;; esac
  build_preset "$build" "${targets[@]}" || return 1
  say "$1: testing"
  ctest --preset "$1" --parallel "$(nproc)" --no-tests=error && return
  # On a busy machine a test of time limits can fail: it runs once again, and the closing lines name
  # it either way.
  say "$1: repeating the tests that failed"
  ctest --preset "$1" --rerun-failed --output-on-failure
}

# Counts of an earlier run are removed. The figures are printed even if a test fails.
run_coverage() {
  local status=0
  make_tool_environment gcovr || return 1
  [ ! -d build/coverage ] || find build/coverage -name '*.gcda' -delete
  run_ctest coverage || status=1
  report_coverage || status=1
  return "$status"
}

# Line coverage of src/ and include/: build/coverage/index.html, coverage.json next to it, and a line per layer.
report_coverage() {
  say "coverage: counting lines"
  quietly gcovr build/gcovr/bin/gcovr --root . --filter src/ --filter include/ --exclude-throw-branches \
    --gcov-ignore-errors=no_working_dir_found -j "$(nproc)" --html-nested build/coverage/index.html \
    --json build/coverage/coverage.json build/coverage || return 1
  .venv/bin/python scripts/coverage_of_layers.py build/coverage/coverage.json
}

# The Python tests write datasets with the release build's miniapps and with runs that they kill, and read them with
# OpenVisus. A missing package of .venv is an error, not the reason to skip a test. One process more than there are
# processors: a quarter of the time, tests wait for files and programs. $1: their marks.
run_python() {
  scripts/install_package.sh || return 1
  make_tool_environment cf || return 1
  build_preset release esker-pism esker-gcrm esker-pop esker-s3d esker-bench kill_run || return 1
  say "python: testing"
  REQUIREMENTS=$project_root/scripts/requirements-test.txt \
    PISM_PROGRAM=$project_root/build/release/miniapps/pism/esker-pism \
    GCRM_PROGRAM=$project_root/build/release/miniapps/gcrm/esker-gcrm \
    S3D_PROGRAM=$project_root/build/release/miniapps/s3d/esker-s3d \
    POP_PROGRAM=$project_root/build/release/miniapps/pop/esker-pop \
    BENCH_PROGRAM=$project_root/build/release/bench/esker-bench \
    CF_CHECKER=$project_root/build/cf/bin/compliance-checker \
    KILL_PROGRAM=$project_root/build/release/tests/mpi/kill_run \
    .venv/bin/python -m pytest --numprocesses $(($(nproc) + 1)) --dist loadfile -m "$1"
}

# Builds the site of the documentation, and checks its links and names.
run_docs() {
  scripts/docs.sh || return 1
  say "docs: testing"
  .venv/bin/python -m pytest tests/docs
}

# Makes the files of a release, and checks them.
run_release_files() {
  scripts/release.sh --draft || return 1
  say "release-files: testing"
  .venv/bin/python -m pytest tests/release
}

# Builds the Debian packages, and uses them as root in a copy of this system. Renders the conda recipe.
run_packages() {
  make_tool_environment rattler || return 1
  scripts/debian_packages.sh || return 1
  say "packages: testing"
  build/rattler/bin/python tests/package/conda.py && tests/package/debian.sh
}

# Sources that cannot be had are no failure.
run_certify() {
  build_preset release esker_pnetcdf || return 1
  say "certify: testing"
  python3 tests/pnetcdf/certify.py build/release/plugins/pnetcdf/lib || [ $? = 77 ]
}

# The ten slowest tests in the output of ctest; pytest lists its own.
list_slowest() {
  sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: (\S+) .* ([0-9.]+) sec *$/\2 s  \1/p' "$1" | sort -rn | sed -n 1,10p
}

run_suite() {
  local suite=$1 log=build/logs/$1-test.log started=$SECONDS result=passed
  mkdir -p build/logs
  echo "$suite: stopped; all of its output is in $log" >"build/logs/$suite-closing.log"
  case $suite in
    python) set -- run_python "not long and not slow" ;;
    python-slow) set -- run_python slow ;;
    coverage | docs | packages | certify) set -- "run_$suite" ;;
    release-files) set -- run_release_files ;;
    wheels) set -- .venv/bin/python -m pytest tests/python/test_wheel.py -m wheels ;;
    configurations) set -- scripts/configurations.sh ;;
    *) set -- run_ctest "$suite" ;;
  esac
  "$@" 2>&1 | tee "$log" || { result=FAILED; failed=1; }
  local slowest
  slowest=$(list_slowest "$log")
  [ -z "$slowest" ] || printf '%s\n' "==> $suite: the slowest tests" "$slowest"
  {
    echo "$suite: $result in $((SECONDS - started)) s"
    grep -E '^[0-9]+% tests passed|^Total Test time|^lines of |^=+ .*(passed|failed|error).* =+$|^No tests were found|^[0-9]+ of [0-9]+ programs|^skipped: |^FAILED |^[[:space:]]+[0-9]+ - ' \
      "$log" | grep -vE '\((Skipped|Disabled)\)$' | sed 's/^/    /'
  } >"build/logs/$suite-closing.log" || true
}

for suite in "$@"; do run_suite "$suite"; done
echo
for suite in "$@"; do cat "build/logs/$suite-closing.log"; done
exit "$failed"
