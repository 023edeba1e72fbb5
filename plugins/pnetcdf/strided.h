// Values that are not neighbors in memory, slowest axis first.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "esker/types/box.hpp"

namespace esker::pnetcdf {

/// Calls visit(address) for every value until it returns false; whether it never did. `step_bytes`: between
/// neighbors along each axis.
template <class Byte, class Visit>
bool each_value(std::span<const Index> count, std::span<const Index> step_bytes, Byte* first,
                const Visit& visit) {
  if (count.empty()) return visit(first);
  for (Index i = 0; i < count.front(); ++i) {
    if (!each_value(count.subspan(1), step_bytes.subspan(1), first + i * step_bytes.front(), visit))
      return false;
  }
  return true;
}

/// Copies values of `size` bytes to a dense list.
inline void gather(std::span<const Index> count, std::span<const Index> step_bytes, const std::byte* from,
                   Index size, std::byte* to) {
  each_value(count, step_bytes, from, [&](const std::byte* value) {
    std::memcpy(to, value, static_cast<std::size_t>(size));
    to += size;
    return true;
  });
}

/// And back.
inline void scatter(std::span<const Index> count, std::span<const Index> step_bytes, std::byte* to,
                    Index size, const std::byte* from) {
  each_value(count, step_bytes, to, [&](std::byte* value) {
    std::memcpy(value, from, static_cast<std::size_t>(size));
    from += size;
    return true;
  });
}

}  // namespace esker::pnetcdf
