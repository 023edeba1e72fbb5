// The layouts of each format's steps: what no format may break.
#include "layout/step_layouts.h"

#include <gtest/gtest.h>

#include "examples/raw_format/raw_format.h"
#include "formats/registry/make_writer.h"
#include "model/coarse_fields.h"
#include "support/layout_conformance.h"
#include "support/scenario.h"

namespace esker {
namespace {

using testing_support::expect_conforming_step;
using testing_support::mixed_schema;
using testing_support::Random;

const bool kHasRaw = raw::register_raw_format().ok();

struct StepCase {
  const char* name;
  std::map<std::string, std::string> options;
  StepHints hints = {};
  friend void PrintTo(const StepCase& test, std::ostream* os) { *os << test.name; }
};

class LayoutsOfAStep : public ::testing::TestWithParam<StepCase> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kHasRaw);
    Options options;
    options.bits_per_block = 8;
    options.blocks_per_file = 4;
    for (const auto& [name, value] : GetParam().options) options.set(name, value).check();
    writer_ = make_format_writer(memory_store(), "run", options).value();
    ASSERT_TRUE(writer_->check_target().ok());
    ASSERT_TRUE(writer_->define(mixed_schema()).ok());
    stored_ = with_coarse_fields(writer_->schema(), writer_->num_coarse_levels()).value();
    if (writer_->needs_boxes())
      writer_->take_boxes(std::vector<Point>(mixed_schema().fields().size())).check();
    ASSERT_TRUE(writer_->create(false).ok());
  }

  /// The fields that are due at a step.
  static std::vector<bool> due(const Schema& schema, Index step) {
    std::vector<bool> present;
    for (const Field& field : schema.fields()) {
      present.push_back(field.fixed ? step == 0 : step % field.every == 0);
    }
    return present;
  }

  std::unique_ptr<StepLayouts> lay_out(Index step) {
    StepHints hints = GetParam().hints;
    hints.step = step;
    const std::vector<bool> present = due(stored_, step);
    auto layouts = writer_->lay_out(present, hints);
    if (layouts->needs_places()) {
      layouts->take_places(writer_->prepare(step, static_cast<double>(step), present).value()).check();
    }
    return layouts;
  }

  std::unique_ptr<FormatWriter> writer_;
  Schema stored_;  // with coarse fields
};

TEST_P(LayoutsOfAStep, Conform) {
  Random random(7);
  for (const Index step : {0, 1}) {
    SCOPED_TRACE(step);
    expect_conforming_step(*lay_out(step), stored_, due(stored_, step), step, random);
    if (lay_out(step)->needs_places()) return;  // step 1 has no place before step 0 is committed
  }
}

StepHints with_pattern(WritePattern pattern) {
  StepHints hints;
  hints.pattern = pattern;
  hints.stripe_size_bytes = 4096;
  hints.stripe_writers = 3;
  return hints;
}

StepHints with_dense_axis(int axis) {
  StepHints hints;
  hints.dense_axes.assign(mixed_schema().fields().size(), axis);
  return hints;
}

std::vector<StepCase> step_cases() {
  return {
      {"Raw", {{"format", "raw"}}},
      {"Idx", {{"format", "idx"}}},
      {"IdxHz", {{"format", "idx"}, {"in_block", "hz"}}},
      {"IdxDenseAxis", {{"format", "idx"}}, with_dense_axis(1)},
      {"Cdf5", {{"format", "cdf5"}}},
      {"Cdf5Stripes", {{"format", "cdf5"}}, with_pattern(WritePattern::kStripes)},
      {"Cdf5Slabs", {{"format", "cdf5"}}, with_pattern(WritePattern::kSlabs)},
      {"Cdf5DenseAxis", {{"format", "cdf5"}}, with_dense_axis(1)},
      {"Cdf5AndIdx", {{"format", "cdf5+idx"}}},
      {"Zarr", {{"format", "zarr"}}},
      {"ZarrChunks", {{"format", "zarr"}, {"chunks", "5,4,3"}}},
      {"ZarrZstd", {{"format", "zarr"}, {"chunks", "5,4,3"}, {"compression", "zstd"}}},
      {"ZarrLevels", {{"format", "zarr"}, {"chunks", "5,4,3"}, {"levels", "2"}}},
      {"ZarrAndIdx", {{"format", "zarr+idx"}}},
      {"Cdf5AndZarr", {{"format", "cdf5+zarr"}}},
#ifdef ESKER_HAVE_HDF5
      {"Netcdf4", {{"format", "netcdf4"}}},
      {"Netcdf4Chunks", {{"format", "netcdf4"}, {"chunks", "5,4,3"}}},
      {"Netcdf4AndIdx", {{"format", "netcdf4+idx"}}},
#endif
  };
}

INSTANTIATE_TEST_SUITE_P(Formats, LayoutsOfAStep, ::testing::ValuesIn(step_cases()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace esker
