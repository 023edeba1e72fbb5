#!/usr/bin/env bash
# Sets up a machine: installs Debian packages and the Python environment .venv/, as far as building and the demo need.
#
#   scripts/setup.sh [--packages] [mpich] [test] [clang] [peers] [simgrid] [glusterfs] [docs] [debian] [wheels]
#                                        --packages: only Debian packages, no Python environment
#                                        mpich: also a second MPI
#                                        test: also what the tests need, MPICH and Chromium among it
#                                        clang: also clang (and libomp, which zfp's CMake files need)
#                                        peers: also the libraries for `esker bench --peers`
#                                        simgrid: also SimGrid, which simulates ranks
#                                        glusterfs: also GlusterFS, a distributed file system, for its test
#                                        docs: also Doxygen, for the site of the documentation
#                                        wheels: also debootstrap, which makes minimal systems
#                                        debian: also what building Debian packages needs (packaging/debian)
#
# Can be repeated; prints nothing if nothing is missing. Uses sudo only for apt, only if not root.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

packages=(
  build-essential gfortran cmake ninja-build pkg-config ccache
  libopenmpi-dev openmpi-bin
  libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libgtest-dev libxxhash-dev libisal-dev libnetcdf-dev libhdf5-dev
  libblosc-dev zlib1g-dev liblz4-dev libzstd-dev libzfp-dev
  python3-dev python3-venv
)
requirements=(scripts/requirements.txt)
parts=(install_debian_packages make_python_environment)
for group in "$@"; do
  case "$group" in
    --packages) parts=(install_debian_packages) ;;
    mpich) packages+=(libmpich-dev mpich) ;;
    test)
      packages+=(libmpich-dev mpich netcdf-bin pnetcdf-bin hdf5-tools nco cdo gdal-bin chromium libegl1 abigail-tools
        environment-modules)
      requirements+=(scripts/requirements-test.txt) ;;
    clang) packages+=(clang-14 libclang-rt-14-dev libomp-14-dev) ;;
    peers) packages+=(libpnetcdf-dev libnetcdf-pnetcdf-dev libhdf5-openmpi-dev libnetcdf-mpi-dev m4) ;;
    simgrid) packages+=(libsimgrid-dev) ;;
    glusterfs) packages+=(glusterfs-server) ;;
    docs) packages+=(doxygen) ;;
    debian) packages+=(dpkg-dev debhelper dh-python lintian fypp) ;;
    wheels) packages+=(debootstrap) ;;
    *) die "scripts/setup.sh: expected mpich, test, clang, peers, simgrid, glusterfs, docs, debian or wheels, found '$group'" ;;
  esac
done

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    die "root or sudo is needed for: $*"
  fi
}

install_debian_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: install the contents of these packages yourself: ${packages[*]}"
    return
  fi
  local installed missing
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null |
    sed -n 's/^installed //p') || true
  missing=$(comm -23 <(printf '%s\n' "${packages[@]}" | sort) <(sort <<<"$installed"))
  [ -n "$missing" ] || return 0
  say "installing Debian packages:" $missing
  quietly apt-update as_root apt-get -qq -o Acquire::Retries=3 update
  quietly apt-install as_root apt-get -qq -y -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 install \
    --no-install-recommends $missing
}

# Prefers Debian's Python to the first one in PATH, because python3-dev installs its headers.
find_python() {
  local python
  for python in /usr/bin/python3 python3; do
    "$python" - 2>/dev/null <<'PY' && { echo "$python"; return; }
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(not (sys.version_info >= (3, 11) and os.path.exists(header)))
PY
  done
  die "no Python of version 3.11 or later with venv and headers (Debian: python3-dev python3-venv)"
}

# Made again for another Python or another path; packages are added to it.
make_python_environment() {
  local python made list
  python=$(find_python)
  made="$PWD $("$python" --version)"
  if [ "$(cat .venv/setup.stamp 2>/dev/null)" != "$made" ]; then
    say "making the Python environment .venv ($("$python" --version))"
    quietly venv "$python" -m venv --clear .venv
    echo "$made" >.venv/setup.stamp
  fi
  for list in "${requirements[@]}"; do
    cmp -s "$list" ".venv/${list##*/}" || install_requirements
  done
}

install_requirements() {
  say "installing Python packages in .venv"
  quietly pip .venv/bin/python -m pip install --quiet --no-input --disable-pip-version-check \
    "${requirements[@]/#/--requirement=}"
  quietly font-cache .venv/bin/python -c 'import matplotlib.font_manager'
  cp "${requirements[@]}" .venv/
}

for part in "${parts[@]}"; do "$part"; done
