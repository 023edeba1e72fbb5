#include "settings.h"

#include <cstdlib>
#include <cstring>

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
  const char* colon = std::strchr(path, ':');
  return colon == nullptr ? path : colon + 1;
}

}  // namespace esker::pnetcdf
