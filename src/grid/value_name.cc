#include "grid/value_name.h"

#include <fmt/format.h>

#include "base/counting.h"

namespace esker {

std::string value_name(const Box& box, const Point& at, int component, int components) {
  std::string text = components > 1 ? fmt::format("component {} of sample (", counted(component)) : "sample (";
  for (int a = 0; a < box.rank; ++a) {
    text += fmt::format("{}{}", a > 0 ? ", " : "", counted(box.lo[a] + at[a]));
  }
  return text + ")";
}

}  // namespace esker
