# The environment of Esker's scripts. Sourced by bash, also by hand:  . scripts/env.sh
project_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Open MPI: containers run as root, and 4 ranks must run on fewer cores without spinning.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

# Keeps what these two write out of the user's home directory.
export VISUS_HOME=$project_root/.venv/cache/openvisus MPLCONFIGDIR=$project_root/.venv/cache/matplotlib

# The builds of the presets, of the Python package, and of other clones share most of their objects: below the project's
# root, paths do not count. They are where ccache keeps all of the user's (CCACHE_DIR, ~/.cache/ccache).
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$project_root} CCACHE_NOHASHDIR=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros
fi

export PATH=$project_root/.venv/bin:$PATH

say() { clear_line; printf '==> %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# The version in include/esker/version.h.
esker_version() { sed -n 's/^#define ESKER_VERSION "\(.*\)"$/\1/p' "$project_root/include/esker/version.h"; }

# require_free_mb N: ends a demo that would fill the disk.
require_free_mb() {
  local free_mb
  free_mb=$(df --output=avail -BM . | tail -n 1 | tr -dc 0-9)
  [ "$free_mb" -ge "$1" ] || die "the demo needs $1 MB of free disk space in $PWD; found $free_mb MB"
}

# quietly NAME COMMAND...: writes the output to build/logs/NAME.log, and shows it only if the command fails; on a terminal
# also how far Ninja is.
quietly() {
  local name=$1 log=$project_root/build/logs/$1.log status=0
  shift
  mkdir -p "$project_root/build/logs"
  if [ -t 1 ]; then
    "$@" > >(tee "$log" | show_steps) 2>&1 || status=$?
    wait $! || true
  else
    "$@" >"$log" 2>&1 || status=$?
  fi
  [ "$status" -eq 0 ] && return
  tail -n 60 "$log" >&2
  printf 'error: %s failed with status %s; all of its output is in build/logs/%s.log\n' \
    "$name" "$status" "$name" >&2
  return "$status"
}

# Shows "12/60" for lines that begin with "[12/60]", in place.
show_steps() {
  local step
  sed --unbuffered --quiet 's/^\[\([0-9]*\/[0-9]*\)\].*/\1/p' | while read -r step; do printf '\r    %s' "$step"; done
  clear_line
}
clear_line() { [ ! -t 1 ] || printf '\r\033[K'; }

# in_background COMMAND...: runs it next to the script, and ends it with the script. `wait $!` waits for it.
in_background() {
  set -m  # a process group, which a signal reaches as a whole
  "$@" &
  set +m
  trap 'kill -- $(jobs -rp | sed s/^/-/) 2>/dev/null || true' EXIT
}

# build_preset PRESET [TARGET...]: configures and builds build/PRESET.
build_preset() {
  local preset=$1
  shift
  say "$preset: building (build/$preset)"
  quietly "$preset-configure" cmake --preset "$preset" &&
    quietly "$preset-build" cmake --build --preset "$preset" --parallel "$(nproc)" ${1:+--target "$@"}
}

# make_tool_environment NAME [FOLDER [OPTION...]]: creates build/FOLDER (default: NAME), a Python environment with
# scripts/requirements-NAME.txt, if missing. The options are those of pip.
make_tool_environment() {
  local name=${2:-$1} required=scripts/requirements-$1.txt
  shift "$(($# > 1 ? 2 : 1))"
  [ -x "build/$name/bin/python" ] && cmp -s "$required" "build/$name/requirements.txt" && return
  say "making the Python environment build/$name"
  quietly "$name-venv" .venv/bin/python -m venv --clear "build/$name" &&
    quietly "$name-pip" "build/$name/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
      -r "$required" "$@" &&
    cp "$required" "build/$name/requirements.txt"
}
