#!/usr/bin/env bash
# Makes the files of a release of the last commit in build/release-VERSION/: source archive, source distribution and wheel
# of the Python package, documentation, notes, checksums. Publishes nothing.
#
#   scripts/release.sh            the tree has to be clean, and CHANGES.md to have a part for this version
#   scripts/release.sh --draft    tries it out: with uncommitted changes, and before CHANGES.md names the version
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

draft=no
case "${1:-}" in
  '') ;;
  --draft) draft=yes ;;
  *) die "scripts/release.sh: expected --draft or nothing, found '$1'" ;;
esac
version=$(esker_version)
out=$PWD/build/release-$version

# changes_of HEADING: the part of CHANGES.md below the first heading that begins with it.
changes_of() {
  awk -v heading="## $1" '/^## / { if (found) exit; found = index($0, heading) == 1; next } found' CHANGES.md
}

check_tree() {
  [ -z "$(git status --porcelain)" ] || die "the tree is not clean (git status): commit or remove what differs"
  ! git rev-parse --quiet --verify "refs/tags/v$version^{commit}" >/dev/null ||
    die "the tag v$version exists: raise ESKER_VERSION in include/esker/version.h"
  grep -q "^## $version, [0-9]\{4\}-[0-9][0-9]-[0-9][0-9]$" CHANGES.md ||
    die "CHANGES.md: expected the heading '## $version, $(date +%F)', with the day of the release"
}

# A program that was compiled with the last release of the same minor version has to run.
check_interface() {
  local last
  last=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null) || last=
  if [ -z "$last" ]; then
    say "no release before this one: comparing the C ABI with the recorded one"
    .venv/bin/python scripts/c_abi.py compare
  elif [ "${last%.*}" = "v${version%.*}" ]; then
    say "comparing the C ABI with that of $last"
    .venv/bin/python scripts/c_abi.py compare --header-of "$last"
  else
    say "the minor version is raised from $last: the C ABI may differ"
  fi
}

# What users have of the directory: pages and pictures, without what Sphinx needs to build them again.
pack_docs() {
  tar --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner --exclude=.buildinfo \
    --exclude=.doctrees --transform="s,^html,esker-$version-docs," -C build/docs -cf - html |
    gzip -n >"$out/esker-$version-docs.tar.gz"
}

write_notes() {
  local heading=$version
  [ "$draft" = no ] || grep -q "^## $version, " CHANGES.md || heading=${version%.*},
  echo "# Esker $version"
  changes_of "$heading"
}

say "checking the tree (Esker $version)"
if [ "$draft" = yes ]; then say "a draft: uncommitted changes are not in the source archive"; else check_tree; fi
check_interface
rm -rf "$out"
mkdir -p "$out"
build_preset release dist
cp "build/release/esker-$version.tar.gz" "$out/esker-$version-source.tar.gz"
scripts/wheel.sh
cp build/wheel/dist/* "$out"
scripts/docs.sh
say "packing (build/release-$version)"
pack_docs
write_notes >"$out/NOTES.md"
[ "$(wc -l <"$out/NOTES.md")" -gt 3 ] || die "CHANGES.md has no part for $version"
(cd "$out" && sha256sum ./* | sed 's, \./, ,' >SHA256SUMS)
ls -sh --block-size=K "$out"
cat <<NEXT
next, by hand:
  git tag -a --cleanup=whitespace v$version -F build/release-$version/NOTES.md
  git push origin v$version
  upload the files of build/release-$version, with NOTES.md as text; the wheel and esker-$version.tar.gz also suit a
  package index (twine upload)
  then raise ESKER_VERSION, and begin the next part of CHANGES.md
NEXT
