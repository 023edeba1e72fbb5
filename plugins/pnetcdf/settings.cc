#include "settings.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "constants.h"

namespace esker::pnetcdf {

int& default_format() {
  static int format = NC_FORMAT_CLASSIC;
  return format;
}

bool is_on(const char* variable, bool preset) {
  const char* text = std::getenv(variable);
  return text == nullptr ? preset : *text != '0';
}

const char* without_prefix(const char* path) {
  constexpr const char* kFileSystems[] = {"ufs",  "nfs",     "xfs",   "pvfs2",   "gpfs",   "lustre",
                                          "daos", "panfs",   "ime",   "quobyte", "zoidfs", "testfs",
                                          "ntfs", "gridftp", "piofs", "pfs",     "sfs",    "hfs"};
  const char* colon = std::strchr(path, ':');
  if (colon == nullptr) return path;
  const std::string_view name(path, static_cast<std::size_t>(colon - path));
  const auto* found = std::find(std::begin(kFileSystems), std::end(kFileSystems), name);
  return found == std::end(kFileSystems) ? path : colon + 1;
}

}  // namespace esker::pnetcdf
