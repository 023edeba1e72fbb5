// Copies of the double.
#include <algorithm>
#include <cstring>

#include "double.h"
#include "state.h"

namespace esker::cuda_double {
namespace {

using device::Copy3d;
constexpr std::size_t kMostPitch = (std::size_t{1} << 31) - 1;

int run_copy(const Copy3d& copy) {
  const auto start = [](const Copy3d::Side& side) {
    const bool is_device = side.memory_type == device::kMemoryDevice;
    return is_device ? side.device : address_of(side.host);
  };
  if (std::max(copy.from.pitch_bytes, copy.to.pitch_bytes) > kMostPitch ||
      copy.from.pitch_bytes < copy.width_bytes || copy.to.pitch_bytes < copy.width_bytes ||
      copy.from.height < copy.height || copy.to.height < copy.height)
    return kInvalidValue;
  for (std::size_t z = 0; z < copy.depth; ++z) {
    for (std::size_t y = 0; y < copy.height; ++y) {
      const auto row = [&](const Copy3d::Side& side) {
        return access(start(side) + (z * side.height + y) * side.pitch_bytes, copy.width_bytes, true);
      };
      std::memcpy(row(copy.to), row(copy.from), copy.width_bytes);
    }
  }
  state().copy_bytes += copy.depth * copy.height * copy.width_bytes;
  return 0;
}

int run_row(Address to, Address from, std::size_t bytes) {
  std::memcpy(access(to, bytes, true), access(from, bytes, true), bytes);
  state().copy_bytes += bytes;
  return 0;
}

}  // namespace

}  // namespace esker::cuda_double

using namespace esker::cuda_double;  // NOLINT

extern "C" {

int cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, void* stream) {
  ENTER();
  NEED_CONTEXT();
  stream_at(stream).work.emplace_back([=] { return run_row(address_of(to), from, bytes); });
  return 0;
}
int cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, void* stream) {
  ENTER();
  NEED_CONTEXT();
  stream_at(stream).work.emplace_back([=] { return run_row(to, address_of(from), bytes); });
  return 0;
}
int cuMemcpy3DAsync_v2(const esker::device::Copy3d* copy, void* stream) {
  ENTER();
  NEED_CONTEXT();
  stream_at(stream).work.emplace_back([request = *copy] { return run_copy(request); });
  return 0;
}
int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  ENTER();
  std::byte* const memory = access(to, bytes);
  if (memory == nullptr) return kIllegalAddress;
  std::memcpy(memory, from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  ENTER();
  const std::byte* const memory = access(from, bytes);
  if (memory == nullptr) return kIllegalAddress;
  std::memcpy(to, memory, bytes);
  return 0;
}
unsigned long long esker_double_copy_bytes() { return state().copy_bytes; }
}
