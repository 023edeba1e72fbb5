#!/usr/bin/env bash
# Installs the Debian packages of build/debian (scripts/debian_packages.sh) as apt does it, and uses them. The system is an
# overlay of this one: what is written to it is thrown away, and nothing here changes. Needs root, and a network for apt.
#
#   tests/package/debian.sh
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
packages=(libesker0.1 libesker-mpi0.1 libesker-dev python3-esker esker-tools)

fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
say() { printf '==> %s\n' "$*"; }

# in_overlay: starts this script again, with the overlay as its root. The mounts end with the process.
in_overlay() {
  [ "$(id -u)" = 0 ] || fail "root is needed"
  local scratch
  scratch=$(mktemp -d)
  unshare --mount --pid --fork bash -euc '
    mount -t tmpfs esker "$1" && mkdir "$1/new" "$1/work" "$1/root"
    mount -t overlay overlay -o "lowerdir=/,upperdir=$1/new,workdir=$1/work" "$1/root"
    mount -t proc proc "$1/root/proc" && mount --rbind /dev "$1/root/dev" && mount --rbind /sys "$1/root/sys"
    mkdir -p "$1/root$2" && mount --bind "$2" "$1/root$2" && mount -o remount,bind,ro "$1/root$2"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv LANG=C.UTF-8 "${@:4}" IN_OVERLAY=yes \
      chroot "$1/root" "$3"' bash "$scratch" "$project" "$project/tests/package/debian.sh" \
    $(env | grep -iE '^(https?|no)_proxy=' || true) || { rmdir "$scratch"; return 1; }
  rmdir "$scratch"
}

install_all() {
  say "installing"
  local log=/srv/apt.log
  cp "$project"/build/debian/*.deb /srv/
  { apt-get -q update && apt-get -qy -o Dpkg::Use-Pty=0 install --no-install-recommends /srv/*.deb; } >"$log" 2>&1 ||
    { cat "$log"; fail "apt does not install the packages"; }
  dpkg --verify "${packages[@]}"
}

# Only what the packages brought: not the project's Python, nor its libraries.
use_command() {
  say "the command"
  local here
  here=$(mktemp -d) && cd "$here"
  python3 - <<'PY'
import numpy as np
import esker
from pathlib import Path

assert esker.__file__.startswith("/usr/lib/python3/dist-packages/"), esker.__file__
esker.write("run.idx", {"a": np.arange(64 * 48.0).reshape(48, 64)})
assert (esker.open("run.idx")["a"].read() == np.arange(64 * 48).reshape(48, 64)).all()
assert "libmpi" not in Path("/proc/self/maps").read_text()
PY
  [ "$(command -v esker)" = /usr/bin/esker ]
  esker --version && esker info run.idx >info.txt && grep -q "64" info.txt && esker verify run.idx
  esker plot run.idx a -o a.png && [ -s a.png ]
  esker export run.idx a -o a.npy && python3 -c 'import numpy; assert numpy.load("a.npy").shape[-2:] == (48, 64)'
  man --warnings -l /usr/share/man/man1/esker-info.1.gz 2>&1 >/dev/null | { ! grep .; }
  apt-get -qq -o Dpkg::Use-Pty=0 install --no-install-recommends netcdf-bin >/dev/null
  esker run --netcdf -- ncdump -h run.idx | grep -q "double a"
  esker bench s3d --ranks 2 --steps 1 --case posix --dir "$here" >/dev/null || fail "esker bench does not run"
}

use_with_mpi() {
  say "Python with MPI"
  apt-get -qq -o Dpkg::Use-Pty=0 install --no-install-recommends python3-mpi4py >/dev/null
  cat >ranks.py <<'PY'
import numpy as np
from mpi4py import MPI
import esker

comm = MPI.COMM_WORLD
with esker.Writer("ranks.idx", comm, dims={"x": 8, "y": 4}) as writer:
    field = writer.field("a", "f8")
    with writer.step(0.0) as step:
        step.put(field, np.full((4, 4), comm.rank + 1.0), offset=(4 * comm.rank, 0))
if comm.rank == 0:
    assert esker.open("ranks.idx")["a"].read().sum() == 16 * (1 + 2)
PY
  mpiexec.openmpi -n 2 python3 ranks.py
}

# By CMake, pkg-config and a plain Makefile, in C, C++ and Fortran, as from any other prefix.
use_libraries() {
  say "the libraries"
  PACKAGE_BUILD=$(mktemp -d) PACKAGE_MPI=ON MPI_SUFFIX=.openmpi CC=gcc CXX=g++ FC=gfortran MPICXX=mpicxx.openmpi \
    MPIEXEC=mpiexec.openmpi OMPI_CXX=g++ "$project/tests/package/check.sh" system
}

remove_all() {
  say "removing"
  apt-get -qq -o Dpkg::Use-Pty=0 purge "${packages[@]}" >/dev/null
  local left
  left=$(find /usr/lib /usr/bin /usr/share /usr/include -iname '*esker*')
  [ -z "$left" ] || fail "purging the packages leaves: $left"
}

if [ -z "${IN_OVERLAY:-}" ]; then
  in_overlay
  exit
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
install_all
use_command
use_with_mpi
use_libraries
remove_all
say "the Debian packages work"
