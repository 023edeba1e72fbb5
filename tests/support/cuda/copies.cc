// Copies of the double. They are checked when they are asked for, and again when they are made.
#include <algorithm>
#include <cstring>

#include "double.h"
#include "state.h"

namespace esker::cuda_double {
namespace {

using device::Copy3d;
constexpr std::size_t kMostPitch = (std::size_t{1} << 31) - 1;

/// A row of a side; null: it is not memory of the device, or of the host.
std::byte* row(const Context& context, const Copy3d::Side& side, std::size_t number, std::size_t bytes) {
  const std::size_t offset = number * side.pitch_bytes;
  if (side.memory_type == device::kMemoryDevice) return device_bytes(context, side.device + offset, bytes);
  const Address address = address_of(side.host) + offset;
  return find_allocation(state().allocated, address, 1) == nullptr ? on_host(address) : nullptr;
}

/// Calls visit(to, from) for each row, until one is not in memory.
template <class Visit>
bool for_each_row(const Context& context, const Copy3d& copy, const Visit& visit) {
  for (std::size_t z = 0; z < copy.depth; ++z) {
    for (std::size_t y = 0; y < copy.height; ++y) {
      std::byte* const to = row(context, copy.to, z * copy.to.height + y, copy.width_bytes);
      const std::byte* const from = row(context, copy.from, z * copy.from.height + y, copy.width_bytes);
      if (to == nullptr || from == nullptr) return false;
      visit(to, from);
    }
  }
  return true;
}

bool is_possible(const Context& context, const Copy3d& copy) {
  const bool is_single_row = copy.height == 1 && copy.depth == 1;  // of any size
  for (const Copy3d::Side& side : {copy.from, copy.to}) {
    if (side.pitch_bytes < copy.width_bytes || side.height < copy.height) return false;
    if (!is_single_row && side.pitch_bytes > kMostPitch) return false;
  }
  return for_each_row(context, copy, [](std::byte*, const std::byte*) {});
}

int start(const Copy3d& copy, void* handle) {
  const std::shared_ptr<Stream> stream = find_stream(handle);
  if (stream == nullptr) return kInvalidHandle;
  const Context& context = *stream->context;
  if (!is_possible(context, copy)) return kInvalidValue;
  enqueue(stream, [&context, copy] {
    const auto move = [&](std::byte* to, const std::byte* from) { std::memcpy(to, from, copy.width_bytes); };
    return for_each_row(context, copy, move) ? 0 : kIllegalAddress;
  });
  return 0;
}
int start_counted(const Copy3d& copy, void* stream) {
  const int result = start(copy, stream);
  if (result == 0) state().copy_bytes += copy.depth * copy.height * copy.width_bytes;
  return result;
}

Copy3d one_row(std::size_t bytes) {
  Copy3d copy;
  copy.width_bytes = copy.from.pitch_bytes = copy.to.pitch_bytes = bytes;
  copy.height = copy.depth = copy.from.height = copy.to.height = 1;
  return copy;
}
Copy3d row_to_host(void* to, Address from, std::size_t bytes) {
  Copy3d copy = one_row(bytes);
  copy.from.memory_type = device::kMemoryDevice;
  copy.from.device = from;
  copy.to.memory_type = device::kMemoryHost;
  copy.to.host = to;
  return copy;
}
Copy3d row_to_device(Address to, const void* from, std::size_t bytes) {
  Copy3d copy = one_row(bytes);
  copy.from.memory_type = device::kMemoryHost;
  copy.from.host = const_cast<void*>(from);  // only read
  copy.to.memory_type = device::kMemoryDevice;
  copy.to.device = to;
  return copy;
}

/// After what the legacy stream has to do.
int copy_now(const Copy3d& copy) {
  Stream& legacy = *current_context()->legacy;
  if (const int result = start(copy, nullptr); result != 0) return result;
  return do_work(legacy, legacy.end());
}

}  // namespace
}  // namespace esker::cuda_double

using namespace esker::cuda_double;  // NOLINT

extern "C" {

int cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, void* stream) {
  ENTER();
  NEED_CONTEXT();
  return start_counted(row_to_host(to, from, bytes), stream);
}
int cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, void* stream) {
  ENTER();
  NEED_CONTEXT();
  return start_counted(row_to_device(to, from, bytes), stream);
}
int cuMemcpy3DAsync_v2(const esker::device::Copy3d* copy, void* stream) {
  ENTER();
  NEED_CONTEXT();
  return start_counted(*copy, stream);
}
int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  ENTER();
  NEED_CONTEXT();
  return copy_now(row_to_device(to, from, bytes));
}
int cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  ENTER();
  NEED_CONTEXT();
  return copy_now(row_to_host(to, from, bytes));
}
unsigned long long esker_double_copy_bytes() { return state().copy_bytes; }
}
