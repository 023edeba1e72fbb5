#include "write/buffered_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <string>

#include "base/error.h"
#include "grid/convert_samples.h"
#include "grid/value_name.h"

namespace esker {
namespace {

constexpr int kComponents = kMaxRank;  // the number of the components' axis
constexpr int kNumAxes = kMaxRank + 1;
using Indices = std::array<Index, kNumAxes>;

/// A patch with its components as an axis, and its axes in the order of memory, the fastest first.
struct MemoryOrder {
  Indices count{}, stride{}, copied_stride{};
  std::array<int, kNumAxes> axis{};  // the numbers of the axes, fastest first

  MemoryOrder(const Patch& patch, int components, SampleType type) {
    for (int a = 0; a < kMaxRank; ++a) {
      count[a] = patch.box.extent(a);
      stride[a] = a < patch.box.rank ? patch.stride_bytes[a] : 0;
    }
    count[kComponents] = components;
    stride[kComponents] = patch.component_stride_bytes;
    std::iota(axis.begin(), axis.end(), 0);
    std::stable_sort(axis.begin(), axis.end(), [this](int a, int b) { return order_of(a) < order_of(b); });
    Index next = size_bytes(type);
    for (const int a : axis) {
      copied_stride[a] = next;
      next *= count[a];
    }
  }

  /// Bytes from the first value to the one at these indices.
  [[nodiscard]] Index offset(const Indices& at) const {
    return std::inner_product(at.begin(), at.end(), stride.begin(), Index{0});
  }

  /// Advances to the next run along the fastest axis; false after the last.
  bool advance(Indices& at) const {
    for (int i = 1; i < kNumAxes; ++i) {
      if (++at[axis[i]] < count[axis[i]]) return true;
      at[axis[i]] = 0;
    }
    return false;
  }

 private:
  /// Axes of one index, and those that repeat samples, are the slowest.
  [[nodiscard]] Index order_of(int a) const {
    return count[a] > 1 && stride[a] != 0 ? std::abs(stride[a]) : std::numeric_limits<Index>::max();
  }
};

template <class T>
std::string number_at(const std::byte* source) {
  T value;
  std::memcpy(&value, source, sizeof(T));
  return fmt::format("{}", value);
}

std::string number_at(SampleType type, const std::byte* source) {
  constexpr std::array<std::string (*)(const std::byte*), 10> kPrint{
      // in the order of SampleType
      number_at<std::int8_t>,  number_at<std::uint8_t>,  number_at<std::int16_t>, number_at<std::uint16_t>,
      number_at<std::int32_t>, number_at<std::uint32_t>, number_at<std::int64_t>, number_at<std::uint64_t>,
      number_at<float>,        number_at<double>};
  return kPrint[static_cast<std::size_t>(type)](source);
}

}  // namespace

Index buffered_bytes(const Field& field, const Patch& patch) {
  return patch.box.num_samples() * field.sample_bytes();
}

Patch dense_form(const Patch& patch, int components, SampleType type) {
  const MemoryOrder order(patch, components, type);
  Patch dense{patch.box, nullptr, type, {}, order.copied_stride[kComponents], false};
  std::copy_n(order.copied_stride.begin(), kMaxRank, dense.stride_bytes.begin());
  return dense;
}

Result<BufferedPatch> copy_patch(const Field& field, const Patch& patch) {
  const MemoryOrder order(patch, field.components, field.type);
  const Index bytes = buffered_bytes(field, patch);
  BufferedPatch copy;
  copy.memory.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
  if (!copy.memory) return error(Code::kOutOfMemory, "cannot allocate {} bytes for a copy", bytes);
  copy.patch = dense_form(patch, field.components, field.type);
  copy.patch.data = copy.memory.get();

  const auto* source = static_cast<const std::byte*>(patch.data);
  std::byte* target = copy.memory.get();
  const int fastest = order.axis[0];
  const Index run = order.count[fastest], stride = order.stride[fastest];
  Indices at{};
  do {
    const Index fits =
        convert_samples(patch.type, source + order.offset(at), stride, field.type, target, run);
    if (fits < run) {
      at[fastest] = fits;
      Point sample{};
      std::copy_n(at.begin(), kMaxRank, sample.begin());
      return error(Code::kOutOfRange, "{} is {}, which {} cannot hold",
                   value_name(patch.box, sample, static_cast<int>(at[kComponents]), field.components),
                   number_at(patch.type, source + order.offset(at)), name(field.type));
    }
    target += run * size_bytes(field.type);
  } while (order.advance(at));
  return copy;
}

}  // namespace esker
