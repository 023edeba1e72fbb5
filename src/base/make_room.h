#pragma once

#include <vector>

namespace esker {

/// Reserves room for one more element, so that adding it cannot fail.
template <class T>
void make_room(std::vector<T>& list) {
  if (list.size() == list.capacity()) list.reserve(2 * list.size() + 16);
}

}  // namespace esker
