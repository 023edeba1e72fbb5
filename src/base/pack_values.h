// Packs lists of values into texts that the ranks of one run exchange, in this machine's memory format.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace esker {

template <class T>
std::string pack_values(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// The reverse of pack_values(). Ignores bytes that are not a complete value.
template <class T>
std::vector<T> unpack_values(std::string_view packed) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> values(packed.size() / sizeof(T));
  if (values.empty()) return values;  // its data() may be null
  std::memcpy(values.data(), packed.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace esker
