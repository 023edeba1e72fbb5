// Patches of every element size whose axes run in any order and direction, with each transport.
#include <gtest/gtest.h>

#include <array>

#include "esker/dataset.hpp"
#include "esker/types/decomposition.hpp"
#include "esker/writer.hpp"
#include "support/mpi_fixture.h"
#include "support/scenario.h"
#include "support/transport_cases.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture and its runs

const Box kGrid = Box::from_extent(3, {10, 9, 11});

// Of PatchMemory: x or z fastest, components together or in separate planes; each in all eight directions.
constexpr std::array kOrders{0U, 1U, 3U, 8U};
constexpr unsigned kDirections = 8;
unsigned shape_of(Index step) {
  const auto number = static_cast<unsigned>(step);
  return kOrders[number / kDirections] + 30 * (number % kDirections);
}
constexpr Index kSteps = Index{kOrders.size()} * kDirections;

class StridesTest : public MpiTest, public testing::WithParamInterface<int> {
 protected:
  void define(Writer& writer) {
    const DimId x = writer.def_dim("x", kGrid.hi[0]).value();
    const DimId y = writer.def_dim("y", kGrid.hi[1]).value();
    const DimId z = writer.def_dim("z", kGrid.hi[2]).value();
    const GridId grid = writer.def_grid("xyz", {x, y, z}).value();
    for (const SampleType type :
         {SampleType::kUint8, SampleType::kInt16, SampleType::kFloat32, SampleType::kFloat64}) {
      for (const int components : {1, 3}) {
        const std::string name = "f" + std::to_string(fields_.size());
        fields_.push_back(writer.def_field(grid, name, type, {.components = components}).value());
      }
    }
  }

  /// This rank's part of one step: two boxes of every field.
  void write_step(Writer& writer, Index step) {
    const unsigned shape = shape_of(step);
    writer.begin_step(static_cast<double>(step)).check();
    const auto parts = BrickDecomposition::near_cubic(3, kGrid.hi, 2 * comm_.size()).value();
    std::vector<PatchMemory> memory;
    memory.reserve(2 * fields_.size());
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      for (const int part : {comm_.rank(), comm_.rank() + comm_.size()}) {
        memory.emplace_back(writer.schema().fields()[f], static_cast<int>(f), step, parts.box(part), shape);
        writer.put(fields_[f], memory.back().patch()).check();
      }
    }
    writer.end_step().check();
  }

  void expect_samples(const Dataset& dataset) {
    std::vector<Point> points;
    for_each_point(kGrid, [&](const Point& p) { points.push_back(p); });
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const Field& field = dataset.schema().fields()[f];
      for (Index step = 0; step < kSteps; ++step) {
        const auto expected = expected_samples(field, static_cast<int>(f), step, points);
        std::vector<std::byte> found(expected.size());
        dataset.read({.field = field.name, .step = step}, found.data(), found.size()).check();
        ASSERT_EQ(found, expected) << size_bytes(field.type) << " bytes, " << field.components
                                   << " components, shape " << shape_of(step);
      }
    }
  }

  std::vector<FieldId> fields_;
};

TEST_P(StridesTest, OfAnySignAndOrderGiveTheSamples) {
  Options options;
  options.report = "none";
  options.bits_per_block = 6;
  options.transport = kTransports[static_cast<std::size_t>(GetParam())];
  auto writer = Writer::create(path("run.idx"), comm_, options).value();
  define(writer);
  for (Index step = 0; step < kSteps; ++step) write_step(writer, step);
  writer.close().check();
  if (comm_.rank() == 0) expect_samples(Dataset::open(path("run.idx")).value());
}

INSTANTIATE_TEST_SUITE_P(All, StridesTest, testing::Range(0, static_cast<int>(kTransports.size())),
                         [](const auto& test) {
                           return std::string(kTransportNames[static_cast<std::size_t>(test.param)]);
                         });

}  // namespace
}  // namespace esker
