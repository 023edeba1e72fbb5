// Memory that a rank reads into, of datasets whose samples are those of PatchMemory.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "esker/dataset.hpp"
#include "esker/reader.hpp"
#include "support/scenario.h"

namespace esker::testing_support {

/// Requests boxes, at full resolution to memory of any layout and at levels to dense memory, and compares.
class Wanted {
 public:
  explicit Wanted(Reader& reader, MissingBlocks missing = MissingBlocks::kAuto)
      : reader_(reader), missing_(missing) {}

  /// All samples of a box, with ghost cells, and with the order of axes of `shape`.
  void ask(const std::string& field, Index step, const Box& box, unsigned shape) {
    const Schema& schema = reader_.dataset().schema();
    const Field& of = *schema.find_field(field);
    if (box.empty()) return;
    const Index ghost = shape % 3, element = size_bytes(of.type);
    auto asked = std::make_unique<Asked>();
    asked->query = {field, step, box, {}};
    MutablePatch& target = asked->target;
    Index stride = element * of.components, first = 0;
    for (int i = 0; i < box.rank; ++i) {
      const int a = shape % 2 == 1 ? box.rank - 1 - i : i;
      target.stride_bytes[a] = stride;
      first += ghost * stride;
      stride *= box.extent(a) + 2 * ghost;
    }
    asked->bytes.assign(static_cast<std::size_t>(stride), kUntouched);
    target.box = box;
    target.type = of.type;
    target.data = asked->bytes.data() + first;
    target.component_stride_bytes = element;
    asked->sample_bytes = element * of.components;
    MutablePatch memory = target;
    if (std::byte* const device = asked->to_device(shape)) memory.data = device + first;
    reader_.request(field, step, memory, {}, missing_).check();
    asked_.push_back(std::move(asked));
  }

  void ask_level(const std::string& field, Index step, const Box& box, int level) {
    ask({field, step, box, level});
  }

  /// To dense memory.
  void ask(const Query& query) {
    auto asked = std::make_unique<Asked>();
    asked->query = query;
    const Field& of = *reader_.dataset().schema().find_field(query.field);
    asked->sample_bytes = of.sample_bytes();
    const Lattice samples = reader_.dataset().select(asked->query).value();
    asked->bytes.assign(static_cast<std::size_t>(samples.num_samples() * asked->sample_bytes), kUntouched);
    std::byte* const device = asked->to_device(0);
    reader_.request(asked->query, device ? device : asked->bytes.data(), asked->bytes.size(), missing_)
        .check();
    asked_.push_back(std::move(asked));
  }

  /// After read(): expects every sample, and no other change.
  void compare() const {
    for (const auto& asked : asked_) {
      const Lattice samples = reader_.dataset().select(asked->query).value();
      const Schema& schema = reader_.dataset().schema();
      const Field& field = *schema.find_field(asked->query.field);
      std::vector<Point> points;
      for_each_point(samples.all_indices(), [&](const Point& p) { points.push_back(samples.point(p)); });
      std::vector<std::byte> dense =
          expected_samples(field, static_cast<int>(&field - schema.fields().data()),
                           field.fixed ? 0 : asked->query.step, points);
      const bool is_sparse =
          reader_.dataset().stored_samples(field.name, asked->query.step).value().has_value();
      const bool has_mesh = schema.grid_of(field).mesh.has_value();
      // Rounded, interpolated or of any level: what a rank alone reads.
      if (field.stored_bits > 0 || is_sparse || has_mesh) {
        reader_.dataset().read(asked->query, dense.data(), dense.size(), {.missing = missing_}).check();
      }
      if (asked->on_device) asked->on_device->read(asked->bytes.data());
      std::vector<std::byte> expected = dense;
      if (asked->target.data) {
        expected.assign(asked->bytes.size(), kUntouched);
        const std::byte* next = dense.data();
        const auto first = static_cast<std::byte*>(asked->target.data) - asked->bytes.data();
        for_each_point(asked->target.box, [&](const Point& p) {
          Index offset = first;
          for (int a = 0; a < asked->target.box.rank; ++a) {
            offset += (p[a] - asked->target.box.lo[a]) * asked->target.stride_bytes[a];
          }
          std::memcpy(expected.data() + offset, next, static_cast<std::size_t>(asked->sample_bytes));
          next += asked->sample_bytes;
        });
      }
      EXPECT_TRUE(asked->bytes == expected)
          << asked->query.field << " step " << asked->query.step << " " << asked->query.box->to_string();
    }
  }

 private:
  static constexpr std::byte kUntouched{0xdb};
  struct Asked {
    Query query;
    MutablePatch target;  // without data: dense
    std::vector<std::byte> bytes;
    Index sample_bytes = 0;
    std::optional<DeviceBytes> on_device;  // the same memory, if it is on a device

    std::byte* to_device(unsigned number) {
      if (!is_for_device(number)) return nullptr;
      on_device.emplace(bytes);
      return on_device->data();
    }
  };
  Reader& reader_;
  MissingBlocks missing_;
  std::vector<std::unique_ptr<Asked>> asked_;
};

}  // namespace esker::testing_support
