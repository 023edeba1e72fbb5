// A dataset that tests write on any number of ranks: two grids, several types, odd sizes.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "esker/types/schema.hpp"
#include "esker/writer.hpp"
#include "store/store.h"
#include "support/device_bytes.h"
#include "support/tilings.h"

namespace esker::testing_support {

/// The value of component `c` of a sample: small enough for an int8 or exact in a float, different for each
/// field, step and neighbour.
inline std::int64_t value_at(int field, Index step, const Point& p, int c) {
  const Index mixed = p[0] + 31 * p[1] + 57 * p[2] + 71 * p[3] + 97 * p[4] + 13 * field + 7 * step + 3 * c;
  return mixed % 101 + 1;
}

template <class T>
void store_value(std::byte* to, std::int64_t value) {
  const T typed = static_cast<T>(value);
  std::memcpy(to, &typed, sizeof(T));
}

inline void store_value(SampleType type, std::byte* to, std::int64_t value) {
  switch (type) {
    case SampleType::kInt8:
      return store_value<std::int8_t>(to, value);
    case SampleType::kUint8:
      return store_value<std::uint8_t>(to, value);
    case SampleType::kInt16:
      return store_value<std::int16_t>(to, value);
    case SampleType::kUint16:
      return store_value<std::uint16_t>(to, value);
    case SampleType::kInt32:
      return store_value<std::int32_t>(to, value);
    case SampleType::kUint32:
      return store_value<std::uint32_t>(to, value);
    case SampleType::kInt64:
      return store_value<std::int64_t>(to, value);
    case SampleType::kUint64:
      return store_value<std::uint64_t>(to, value);
    case SampleType::kFloat32:
      return store_value<float>(to, value);
    case SampleType::kFloat64:
      return store_value<double>(to, value);
  }
}

/// Calls visit(point) for all points of a box, x fastest.
template <class Visit>
void for_each_point(const Box& box, const Visit& visit) {
  if (box.empty()) return;
  Point p = box.lo;
  for (;;) {
    visit(p);
    int a = 0;
    while (a < box.rank && ++p[a] == box.hi[a]) {
      p[a] = box.lo[a];
      ++a;
    }
    if (a == box.rank) return;
  }
}

/// Memory of one patch, as a model would hold it: axes in any order and direction, ghost cells around,
/// components together or apart. `shape` chooses: all below 240 are different.
class PatchMemory {
 public:
  PatchMemory(const Field& field, int field_number, Index step, const Box& box, unsigned shape) {
    const Index element = size_bytes(field.type);
    const Index ghost = shape % 3;
    const bool reversed = shape % 2 == 1;                       // last axis fastest
    const bool split = field.components > 1 && shape % 5 >= 3;  // components in separate planes
    const unsigned backwards = shape / 30;                      // bit a: along axis a, strides are negative
    Index stride = split ? element : element * field.components;
    Index first = 0;
    for (int i = 0; i < box.rank; ++i) {
      const int a = reversed ? box.rank - 1 - i : i;
      patch_.stride_bytes[a] = stride;
      first += ghost * stride;
      stride *= box.extent(a) + 2 * ghost;
    }
    for (int a = 0; a < box.rank; ++a) {
      if ((backwards >> a & 1U) == 0) continue;
      first += (box.extent(a) - 1) * patch_.stride_bytes[a];
      patch_.stride_bytes[a] = -patch_.stride_bytes[a];
    }
    patch_.component_stride_bytes = split ? stride : element;
    bytes_.assign(static_cast<std::size_t>(split ? stride * field.components : stride), std::byte{0xdb});
    patch_.box = box;
    patch_.type = field.type;
    patch_.data = bytes_.data() + first;
    for_each_point(box, [&](const Point& p) {
      Index offset = first;
      for (int a = 0; a < box.rank; ++a) offset += (p[a] - box.lo[a]) * patch_.stride_bytes[a];
      for (int c = 0; c < field.components; ++c) {
        store_value(field.type, bytes_.data() + offset + c * patch_.component_stride_bytes,
                    value_at(field_number, step, p, c));
      }
    });
    if (!is_for_device(shape)) return;
    on_device_.emplace(bytes_);
    patch_.data = on_device_->data() + first;
    bytes_.clear();
  }
  [[nodiscard]] const Patch& patch() const { return patch_; }

 private:
  std::optional<DeviceBytes> on_device_;
  std::vector<std::byte> bytes_;
  Patch patch_;
};

/// Dense samples that a read of `points` (x fastest, components innermost) must return.
inline std::vector<std::byte> expected_samples(const Field& field, int field_number, Index step,
                                               const std::vector<Point>& points) {
  const Index element = size_bytes(field.type);
  std::vector<std::byte> bytes(points.size() * static_cast<std::size_t>(field.sample_bytes()));
  std::byte* next = bytes.data();
  for (const Point& p : points) {
    for (int c = 0; c < field.components; ++c, next += element) {
      store_value(field.type, next, value_at(field_number, step, p, c));
    }
  }
  return bytes;
}

/// A 3-D grid of 15 x 33 x 17, its horizontal plane, one fixed field, one every second step, vectors, small
/// types.
inline Schema mixed_schema() {
  Schema schema;
  const DimId x = schema.add_dim("x", 15).value();
  const DimId y = schema.add_dim("y", 33).value();
  const DimId z = schema.add_dim("z", 17).value();
  const int volume = schema.add_grid("xyz", {x, y, z}).value().index;
  const int plane = schema.add_grid("xy", {x, y}).value().index;
  const auto add = [&](const char* name, int grid, SampleType type, int components, bool fixed, int every) {
    schema.add_field({name, grid, type, components, fixed, every, {}}).status().check();
  };
  add("temp", volume, SampleType::kFloat64, 1, false, 1);
  add("vel", volume, SampleType::kFloat32, 3, false, 1);
  add("mask", volume, SampleType::kUint8, 1, false, 2);
  add("thk", plane, SampleType::kFloat32, 1, false, 1);
  add("topg", plane, SampleType::kFloat32, 1, true, 1);
  add("count", plane, SampleType::kInt16, 2, false, 1);
  add("species", plane, SampleType::kFloat64, 11, false, 1);  // 88 bytes: two columns
  return schema;
}

/// One grid and no fixed field: a dataset of one .idx.
inline Schema single_schema() {
  Schema schema;
  const DimId x = schema.add_dim("x", 21).value();
  const DimId y = schema.add_dim("y", 18).value();
  const int plane = schema.add_grid("xy", {x, y}).value().index;
  schema.add_field({"thk", plane, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  schema.add_field({"mask", plane, SampleType::kUint8, 1, false, 2, {}}).status().check();
  return schema;
}

/// One grid whose fields have stored bits: a dataset of one .idx.
inline Schema stored_bits_schema() {
  Schema schema;
  const DimId x = schema.add_dim("x", 21).value();
  const DimId y = schema.add_dim("y", 18).value();
  const int plane = schema.add_grid("xy", {x, y}).value().index;
  schema.add_field({"thk", plane, SampleType::kFloat64, 1, false, 1, {}, {}, 16}).status().check();
  schema.add_field({"vel", plane, SampleType::kFloat32, 2, false, 2, {}, {}, 4}).status().check();
  return schema;
}

/// A mesh of three levels with a scalar and a vector: a dataset of one .idx.
inline Schema mesh_schema() {
  Schema schema;
  const Mesh mesh{.axes = {"x", "y"}, .extent = {10, 9}, .ratios = {{2, 2}, {2, 2}}, .nested = true};
  const int grid = schema.add_mesh("amr", mesh).value().index;
  schema.add_field({"rho", grid, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  schema.add_field({"vel", grid, SampleType::kFloat32, 2, false, 2, {}}).status().check();
  return schema;
}

/// The patches of mesh_schema() at a step: other ones at each step, with a gap, one of a single cell, and at
/// odd steps none at the finest level.
inline std::vector<MeshBox> mesh_patches(Index step) {
  const Index at = step % 4;
  std::vector<MeshBox> patches{{0, Box{{0, 0}, {10, 4}}},          {0, Box{{0, 4}, {6, 9}}},
                               {0, Box{{6, 4}, {9, 9}}},  // not {9, 4} to {10, 9}
                               {1, Box{{2 + at, 1}, {9 + at, 9}}}, {1, Box{{2 + at, 9}, {6 + at, 14}}},
                               {1, Box{{17, 0}, {18, 1}}}};
  if (step % 2 == 0) {
    patches.push_back({2, Box{{8 + at, 5 + at}, {12 + at, 20}}});
    patches.push_back({2, Box{{12 + at, 5 + at}, {16 + at, 18}}});
  }
  return patches;
}

/// All files below `directory`, by path.
inline std::map<std::string, std::string> all_files(Store& store, const std::string& directory) {
  std::map<std::string, std::string> files;
  const auto names = store.list(directory).value();
  for (const std::string& name : names) {
    const std::string path = directory == "." ? name : directory + "/" + name;
    const auto text = read_text(store, path, std::size_t{1} << 30);
    if (text.ok()) {
      files[path] = *text;
    } else {
      files.merge(all_files(store, path));
    }
  }
  return files;
}

}  // namespace esker::testing_support
