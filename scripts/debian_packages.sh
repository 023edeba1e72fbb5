#!/usr/bin/env bash
# Builds the Debian packages of packaging/debian for the Debian of this machine, and checks them with lintian.
#
#   scripts/debian_packages.sh      build/debian/*.deb
#
# dpkg-buildpackage needs the folder debian/ at the root of the sources, so it works on a copy, build/debian/esker-VERSION.
# Debian packages that are missing are named by an error (scripts/setup.sh debian installs them). Symbols for debuggers
# are packaged with DEB_BUILD_OPTIONS=.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

version=$(esker_version)
tree=build/debian/esker-$version
rm -rf build/debian
mkdir -p "$tree"
git ls-files -z --cached --others --exclude-standard -- . ':!data' ':!docs' ':!tests' ':!.ci' |
  tar --create --null --files-from=- | tar --extract --directory="$tree"
cp -r packaging/debian "$tree/debian"

say "building the Debian packages (build/debian)"
export ESKER_PYTHON=$project_root/.venv/bin/python
export DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS-noautodbgsym parallel=$(nproc)}
[ -x "$ESKER_PYTHON" ] || die "no $ESKER_PYTHON: run scripts/setup.sh"
(cd "$tree" && quietly debian dpkg-buildpackage -us -uc -b)
quietly lintian lintian --fail-on error --tag-display-limit 0 --allow-root build/debian/*.changes
rm -r "$tree"
(cd build/debian && ls -l -- *.deb | awk '{ print $9 ": " $5 " bytes" }')
