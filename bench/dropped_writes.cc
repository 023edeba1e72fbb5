#include "dropped_writes.h"

#include <algorithm>
#include <atomic>

namespace bench {
namespace {

constexpr off_t kKept = off_t{64} << 10;
std::atomic<bool> g_drops{false};

}  // namespace

void drop_writes(bool drops) { g_drops = drops; }

std::size_t stored_part(std::size_t size, off_t offset) {
  if (!g_drops) return size;
  return std::min(size, static_cast<std::size_t>(std::max<off_t>(kKept - offset, 0)));
}

}  // namespace bench
