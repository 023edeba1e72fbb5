#!/usr/bin/env bash
# Builds the site of the documentation, build/docs/html: guides, gallery, reference of all languages, results. It works from
# files, without a server or the network. Only what changed is built again; a warning is an error.
#
#   scripts/docs.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

site=build/docs
build_preset release esker-gcrm esker-pism esker-pop esker-s3d esker-uintah
scripts/install_package.sh
make_tool_environment docs docs --no-deps

# Sphinx imports the package esker, and the gallery's scripts import what readers of datasets have.
for packages in "$site"/lib/python3*/site-packages; do
  .venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$packages/project.pth"
done

# Doxygen writes all of its files again, and Sphinx then reads all pages that are made from them.
run_doxygen() {
  local headers
  headers=$(find include docs/site/Doxyfile -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  [ "$(cat "$site/doxygen/stamp" 2>/dev/null)" != "$headers" ] || return 0
  mkdir -p "$site/doxygen"
  quietly docs-doxygen doxygen docs/site/Doxyfile || return 1
  [ ! -s "$site/doxygen/warnings.log" ] || { cat "$site/doxygen/warnings.log" >&2; die "Doxygen: see its warnings above"; }
  echo "$headers" >"$site/doxygen/stamp"
}

run_doxygen
quietly docs-pages "$site/bin/python" docs/site/staging.py "$site/source"
# Sphinx repeats no warning about a page that it has read: after an error, the next run reads all pages.
quietly docs-sphinx "$site/bin/python" -m sphinx -q -W --keep-going -c docs/site -d "$site/doctrees" \
  "$site/source" "$site/html" || { rm -rf "$site/doctrees"; exit 1; }
say "open $PWD/$site/html/index.html in a browser"
