# Sourced by scripts that build what Debian has only in other forms:  . scripts/debian_source.sh

# download_debian_source PACKAGE ROOT: unpacks the sources of a Debian package in ROOT/source. Needs no root, and no
# deb-src lines: apt uses separate lists below ROOT, which name the sources of the suite and server of this machine.
download_debian_source() {
  local package=$1 root=$2 codename server
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  server=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $codename" 'Component: main' | head -n 1)
  server=${server:-http://deb.debian.org/debian}  # apt without lists
  mkdir -p "$root"/state/lists/partial "$root"/cache/archives/partial "$root/source"
  echo "deb-src $server $codename main" >"$root/sources.list"
  local options=(-qq -o "Dir::State=$root/state" -o Dir::State::status=/var/lib/dpkg/status -o "Dir::Cache=$root/cache"
    -o "Dir::Etc::SourceList=$root/sources.list" -o Dir::Etc::SourceParts=- -o APT::Sandbox::User= -o Acquire::Retries=3)
  apt-get "${options[@]}" update && (cd "$root/source" && apt-get "${options[@]}" source "$package") &&
    rm -rf "$root"/{state,cache}
}
