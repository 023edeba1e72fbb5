#include "gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <vector>

#include "device/device_memory.h"
#include "support/device_bytes.h"

namespace esker::bench {
namespace {

using device::DeviceMemory;
using testing_support::CudaOfTests;
using testing_support::DeviceBytes;

constexpr Index kGhost = 1;

double seconds_of(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// An array of numbered samples, with ghost cells around it, on the device and on the host.
struct Field {
  explicit Field(Index inner)
      : edge(inner),
        outer(inner + 2 * kGhost),
        values(static_cast<std::size_t>(outer * outer * outer)),
        on_device(std::as_bytes(std::span(numbered(values)))) {}

  static std::vector<double>& numbered(std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
    return values;
  }
  [[nodiscard]] std::array<Index, kMaxRank> strides() const { return {8, 8 * outer, 8 * outer * outer}; }
  /// Of an inner sample, from the first one of the array.
  [[nodiscard]] Index offset(Index x, Index y, Index z) const {
    return 8 * ((x + kGhost) + outer * ((y + kGhost) + outer * (z + kGhost)));
  }

  Index edge, outer;
  std::vector<double> values;
  DeviceBytes on_device;
};

/// Gathers cubes one after the other, each in the order that `map_of` gives. `copy(from, to, map)`.
template <class Copy>
void for_each_cube(const Field& field, const Point& cube, const SampleMap& to_map, const Copy& copy) {
  Index to = 0;
  for (Index z = 0; z < field.edge; z += cube[2]) {
    for (Index y = 0; y < field.edge; y += cube[1]) {
      for (Index x = 0; x < field.edge; x += cube[0]) {
        copy(field.offset(x, y, z), to, to_map);
        to += 8 * cube[0] * cube[1] * cube[2];
      }
    }
  }
}

struct Shape {
  std::string name;
  Point cube;
  bool is_hz = false;
};

/// Of a cube whose edges are 2^bits: x, y and z take turns.
SampleOrder hz_order(int bits) {
  SampleOrder order{.rank = 3, .has_bits = true, .axes = {}};
  for (int b = 0; b < bits; ++b) {
    for (std::size_t a = 0; a < 3; ++a) order.axes[a] |= std::uint64_t{1} << (3 * b + static_cast<int>(a));
  }
  return order;
}

bool measure(const Field& field, const Shape& shape, int repeat, DeviceMemory& device,
             std::vector<std::byte>& window) {
  const Box box = Box::from_extent(3, shape.cube);
  const SampleMap from_map = SampleMap::strided(box, field.strides());
  const SampleMap to_map = shape.is_hz ? SampleMap::ordered(box, hz_order(shape.cube[0] == 32 ? 5 : 6), 8)
                                       : SampleMap::dense(box, 8);
  const auto gather = [&] {
    for_each_cube(field, shape.cube, to_map, [&](Index from, Index to, const SampleMap& map) {
      device
          .start_from_device(field.on_device.data(), 8, field.on_device.data() + from, from_map,
                             window.data() + to, map, window)
          .check();
    });
    device.finish().check();
  };
  const auto copy = [&] {
    CudaOfTests::get().call(
        "cuMemcpyDtoH_v2", static_cast<void*>(window.data()),
        static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(field.on_device.data())),
        window.size());
  };
  gather();  // compiles the kernel, pins the window
  std::vector<double> ratios;
  double best_GBps = 0;
  for (int r = 0; r < repeat; ++r) {
    const double copied_s = seconds_of(copy), gathered_s = seconds_of(gather);
    ratios.push_back(copied_s / gathered_s);
    best_GBps = std::max(best_GBps, static_cast<double>(window.size()) / gathered_s / 1e9);
  }
  std::sort(ratios.begin(), ratios.end());
  std::vector<std::byte> expected(window.size());
  for_each_cube(field, shape.cube, to_map, [&](Index from, Index to, const SampleMap& map) {
    copy_samples(8, reinterpret_cast<const std::byte*>(field.values.data()) + from, from_map,
                 expected.data() + to, map);
  });
  const bool is_right = expected == window;
  fmt::print("gather {:<24} {:8.2f} GB/s, {:.2f} of a pinned copy ({:.2f} to {:.2f}){}\n", shape.name,
             best_GBps, ratios[ratios.size() / 2], ratios.front(), ratios.back(),
             is_right ? "" : ": WRONG BYTES");
  return is_right;
}

}  // namespace

bool measure_gather(long edge, int repeat) {
  const Field field(edge);
  std::vector<std::byte> window(static_cast<std::size_t>(8 * edge * edge * edge));
  DeviceMemory device(*device::Driver::find());
  device.wait_for(field.on_device.data(), nullptr).check();
  bool all_right = true;
  for (const Shape& shape :
       {Shape{"whole array", {edge, edge, edge}}, Shape{"boxes 64^3", {64, 64, 64}},
        Shape{"boxes 32^3", {32, 32, 32}}, Shape{"boxes 16^3", {16, 16, 16}},
        Shape{"rows of 512 bytes", {64, 8, 8}}, Shape{"blocks 32^3 in HZ order", {32, 32, 32}, true}}) {
    all_right = measure(field, shape, repeat, device, window) && all_right;
  }
  if (!device.why_without_kernel().empty())
    fmt::print("not by the kernel: {}\n", device.why_without_kernel());
  return all_right;
}

}  // namespace esker::bench
