// plan_step() agrees with Writer.
#include "esker/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "esker/types/decomposition.hpp"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "unit/api/amounts.h"
#include "write/pipeline.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario and ranks

/// A way of writing, given by its options.
struct Way {
  const char* name;
  std::map<std::string, std::string> options;
  Schema (*schema)() = mixed_schema;
  std::vector<KeepRule> (*rules)(const Box& grid) = nullptr;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

Options options_of(const Way& way) {
  Options options;
  options.report = "none";
  options.bits_per_block = 7;
  options.blocks_per_file = 8;
  options.memory_budget_bytes = Index{1} << 20;       // room for the plans, which are not counted here
  options.collective_buffer_bytes = Index{32} << 10;  // several rounds
  options.aggregators = 3;
  options.transport = Transport::kMessages;  // the planner counts messages
  for (const auto& [name, value] : way.options) options.set(name, value).check();
  return options;
}

/// The x-y plane split as PISM does; other axes stay whole.
std::vector<Box> columns(int rank, int n_ranks, const Box& grid) {
  Box box = BrickDecomposition::pism(2, grid.hi, n_ranks).value().box(rank);
  for (int a = 2; a < grid.rank; ++a) box.hi[a] = grid.hi[a];
  box.rank = grid.rank;
  return {box};
}

/// Many blocks also of the sizes that are chosen by default.
Schema large_schema() {
  Schema schema;
  const DimId x = schema.add_dim("x", 60).value();
  const DimId y = schema.add_dim("y", 50).value();
  const DimId z = schema.add_dim("z", 70).value();
  const int grid = schema.add_grid("xyz", {x, y, z}).value().index;
  schema.add_field({"a", grid, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  schema.add_field({"b", grid, SampleType::kFloat64, 3, false, 1, {}}).status().check();
  return schema;
}

std::vector<KeepRule> no_rules(const Box&) { return {}; }

/// Boxes that overlap, and exceed the grid.
std::vector<KeepRule> some_boxes(const Box& grid) {
  Box corner = grid, middle = grid;
  for (int a = 0; a < grid.rank; ++a) {
    corner.hi[a] = (grid.hi[a] + 1) / 2;
    corner.lo[a] = -3;
    middle.lo[a] = grid.hi[a] / 3;
    middle.hi[a] = grid.hi[a] - 2;
  }
  KeepRule near = KeepRule::inside({corner, middle}, -3);
  near.dilate = 1;
  return {KeepRule::inside({middle}), near};
}

/// The same, and a coarse level everywhere.
std::vector<KeepRule> boxes_and_level(const Box& grid) {
  std::vector<KeepRule> rules = some_boxes(grid);
  rules.push_back(KeepRule::everywhere(-2));
  return rules;
}

class PlanStep : public testing::TestWithParam<Way> {};

/// The first step of a writer with the columns of this rank, by the rules of the way.
void write_columns(WritePipeline& pipeline, const Communicator& comm, const Schema& schema, const Way& way) {
  pipeline.define({}, schema).check();
  std::vector<PatchMemory> memory;
  memory.reserve(schema.fields().size());
  StepInput input{{}, 0, 0, {}};
  input.patches.resize(schema.fields().size());
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const Field& field = schema.fields()[f];
    const Box box = columns(comm.rank(), comm.size(), schema.box_of(schema.grids()[field.grid])).front();
    memory.emplace_back(field, static_cast<int>(f), 0, box, 0u);
    input.patches[f].push_back(memory.back().patch());
  }
  for (int g = 0; way.rules && g < std::ssize(schema.grids()); ++g) {
    for (const KeepRule& rule : way.rules(schema.box_of(schema.grids()[static_cast<std::size_t>(g)]))) {
      input.keep.push_back({g, -1, rule});
    }
  }
  pipeline.write_step(std::move(input)).check();
}

/// A report lists the fields that store some blocks only.
void expect_same_samples(const PlanReport& planned, const StepReport& step, const Schema& schema) {
  StoredSamples listed;
  for (const StepReport::FieldSamples& field : step.fields) {
    listed.primary += field.samples.primary;
    listed.secondary += field.samples.secondary;
    listed.padding += field.samples.padding;
    listed.blocks += field.samples.blocks;
  }
  Index others = 0;
  for (const Field& field : schema.fields()) {
    const bool is_listed = std::any_of(step.fields.begin(), step.fields.end(),
                                       [&](const auto& of_step) { return of_step.name == field.name; });
    if (!is_listed) others += schema.box_of(schema.grid_of(field)).num_samples();
  }
  if (step.fields.empty()) {  // no rules
    EXPECT_EQ(planned.samples, StoredSamples());
    return;
  }
  EXPECT_EQ(planned.samples.primary + planned.samples.secondary, listed.primary + listed.secondary + others);
  if (others == 0) {
    EXPECT_EQ(planned.samples, listed);
  }
  EXPECT_NEAR(planned.write_imbalance, step.write_imbalance, 1e-9);
}

TEST_P(PlanStep, AgreesWithTheTrafficOfAWriter) {
  const Schema schema = GetParam().schema();
  const Options options = options_of(GetParam());
  const auto rules = GetParam().rules ? GetParam().rules : no_rules;
  for (const int n_ranks : {1, 4, 7}) {
    const auto planned = plan_step(
        schema, n_ranks,
        [&](int rank, const Grid& grid) { return columns(rank, n_ranks, schema.box_of(grid)); }, options, {},
        [&](const Grid& grid) { return rules(schema.box_of(grid)); });
    if (planned.status().code() == Code::kUnsupported) GTEST_SKIP() << planned.status().message();
    ASSERT_TRUE(planned.ok()) << planned.status().message();
    const auto store = memory_store();
    run_ranks(n_ranks, [&](const Communicator& comm) {
      auto pipeline = WritePipeline::create(comm.get(), store, "run", options).value();
      write_columns(*pipeline, comm, schema, GetParam());
      const RunReport report = pipeline->report().value();
      if (comm.rank() != 0) return;
      const StepReport& step = pipeline->steps().front();
      EXPECT_EQ(planned->data_bytes, step.data_bytes);
      EXPECT_EQ(planned->stored_bytes, step.stored_bytes);
      EXPECT_EQ(planned->files, step.files);
      EXPECT_EQ(planned->writers, step.writers);
      EXPECT_EQ(step.fields.empty(), !GetParam().rules && options.keep_level == 0);
      expect_same_samples(*planned, step, schema);
      expect_same(planned->messages, report, "messages");
      expect_same(planned->sent_bytes, report, "sent_bytes");
      expect_same(planned->written_bytes, report, "stored_bytes");
      EXPECT_EQ(static_cast<double>(planned->buffer_bytes.max),
                amount(report, "peak_buffer_bytes", &Spread::max));
    });
  }
}

/// For pieces that are larger than blocks.
Way with_room(Way way) {
  way.options["memory_budget"] = "4M";
  return way;
}

const std::vector<Way> kWays{
    {"IdxOnePhase", {{"aggregate", "false"}, {"checksums", "false"}}},
    {"IdxTwoPhase", {}},
    {"StoredBits", {}, stored_bits_schema},
    {"KeepBoxes", {}, mixed_schema, some_boxes},
    {"KeepBoxesInLargeBlocks", {{"bits_per_block", "10"}}, mixed_schema, some_boxes},
    {"KeepBoxesAndLevel", {{"restructure", "default"}}, mixed_schema, boxes_and_level},
    with_room({"KeepBoxesInChosenBlocks", {{"bits_per_block", "0"}}, large_schema, some_boxes}),
    {"KeepLevelByOption", {{"keep_level", "-4"}}},
    {"KeepLevelBelowAll", {{"keep_level", "-40"}}},
    with_room({"KeepInCdf5AndIdx", {{"format", "cdf5+idx"}}, mixed_schema, some_boxes}),
    with_room({"Cdf5OnePhase", {{"format", "cdf5"}, {"aggregate", "false"}}}),
    with_room({"Cdf5", {{"format", "cdf5"}}}),
    with_room({"Cdf5Restructured", {{"format", "cdf5"}, {"restructure", "default"}}}),
    with_room({"Cdf5AndIdx", {{"format", "cdf5+idx"}}}),
    with_room({"Netcdf4AndIdx", {{"format", "netcdf4+idx"}}}),
    {"Netcdf4", {{"format", "netcdf4"}, {"chunks", "7,5,6"}}},
    {"Cdf5Slabs", {{"format", "cdf5"}, {"pattern", "slabs"}}},
    {"Cdf5SlabsAndIdx", {{"format", "cdf5+idx"}, {"pattern", "slabs"}}},
    {"Cdf5Stripes", {{"format", "cdf5"}, {"aggregators", "0"}, {"stripe_size", "4K"}, {"stripe_count", "6"}}},
};

INSTANTIATE_TEST_SUITE_P(Ways, PlanStep, testing::ValuesIn(kWays),
                         [](const auto& test) { return test.param.name; });

TEST(PlanStepCancelled, EndsSoonIfTheCallerCancels) {
  Schema schema;
  std::vector<DimId> dims;
  for (const char* name : {"x", "y", "z"}) dims.push_back(schema.add_dim(name, 1500).value());
  const int grid = schema.add_grid("xyz", dims).value().index;
  schema.add_field({"a", grid, SampleType::kFloat32, 1, false, 1, {}}).status().check();
  constexpr int kRanks = 125000;  // takes longer than the limit
  const SplitOfGrid split = [&](const Grid&) {
    return BrickDecomposition::near_cubic(3, {1500, 1500, 1500, 1, 1}, kRanks);
  };
  int num_asked = 0;
  const auto ended = plan_step(schema, kRanks, split, {}, [&] { return ++num_asked < 1; });
  EXPECT_EQ(ended.status().code(), Code::kCancelled) << ended.status().message();
  EXPECT_EQ(num_asked, 1);
}

TEST(PlanStepChunks, RequireRegularBoxesAsInAWriter) {
  const Schema schema = single_schema();  // 21 x 18
  Options options;
  options.format = "netcdf4";
  options.chunks.by_decomposition = true;
  const auto planned = [&](const Point& parts) {
    const SplitOfGrid split = [&](const Grid& grid) {
      return BrickDecomposition::even(2, schema.box_of(grid).hi, parts);
    };
    return plan_step(schema, 6, split, options);
  };
  const auto regular = planned({3, 2});
  if (regular.status().code() == Code::kUnsupported) GTEST_SKIP() << regular.status().message();
  ASSERT_TRUE(regular.ok()) << regular.status().message();
  EXPECT_EQ(regular->stored_bytes, regular->data_bytes);
  EXPECT_EQ(planned({5, 1}).status().code(), Code::kInvalidArgument) << "the first has 5 of 21, others 4";
}

TEST(PlanStepErrors, AreThoseOfWriting) {
  const Schema schema = single_schema();
  const auto whole = [&](int rank, const Grid& grid) {
    return rank == 0 ? std::vector<Box>{schema.box_of(grid)} : std::vector<Box>{};
  };
  const auto twice = [&](int, const Grid& grid) { return std::vector<Box>{schema.box_of(grid)}; };
  const auto outside = [&](int, const Grid&) { return std::vector<Box>{Box{{0, 0}, {500, 1}}}; };
  EXPECT_TRUE(plan_step(schema, 3, whole).ok());
  EXPECT_EQ(plan_step(schema, 0, whole).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(plan_step(schema, 3, twice).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(plan_step(schema, 3, outside).status().code(), Code::kOutOfRange);
  Options options;
  options.aggregate = false;
  EXPECT_EQ(plan_step(schema, 3, whole, options).status().code(), Code::kInvalidArgument);
  options = Options();
  options.memory_budget_bytes = 10;
  EXPECT_EQ(plan_step(schema, 3, whole, options).status().code(), Code::kOutOfMemory);
}

TEST(PlanStepKeep, RefusesRulesThatCannotHold) {
  const Schema schema = single_schema();  // 21 x 18
  const auto error_of = [&](const KeepRule& rule, const std::string& format) {
    Options options;
    options.format = format;
    const SplitOfGrid split = [&](const Grid& grid) {
      return BrickDecomposition::near_cubic(2, schema.box_of(grid).hi, 4);
    };
    return plan_step(schema, 4, split, options, {}, [&](const Grid&) { return std::vector{rule}; }).status();
  };
  EXPECT_TRUE(error_of(KeepRule::everywhere(-10), "idx").ok());
  EXPECT_EQ(error_of(KeepRule::everywhere(-11), "idx").message(),
            "plan: keep grid 'xy': level -11, expected -10 to 0");
  EXPECT_EQ(error_of(KeepRule::everywhere(1), "idx").code(), Code::kOutOfRange);
  EXPECT_EQ(error_of(KeepRule::inside({Box{{0}, {1}}}), "idx").code(), Code::kInvalidArgument);
  EXPECT_EQ(error_of(KeepRule::in_range(FieldId{0}, 0, 1), "idx").code(), Code::kInvalidArgument);
  EXPECT_EQ(error_of(KeepRule::everywhere(-1), "cdf5").code(), Code::kUnsupported);
}

/// Rules may leave out samples of all blocks, but no block.
TEST(PlanStepKeep, CountsPrimarySamplesWhereAllBlocksAreStored) {
  const Schema schema = single_schema();  // 21 x 18
  Options options;
  options.bits_per_block = 10;  // one block
  const SplitOfGrid split = [&](const Grid& grid) {
    return BrickDecomposition::near_cubic(2, schema.box_of(grid).hi, 4);
  };
  const KeepOfGrid keep = [](const Grid&) { return std::vector{KeepRule::inside({Box{{2, 3}, {7, 9}}})}; };
  const auto planned = plan_step(schema, 4, split, options, {}, keep);
  ASSERT_TRUE(planned.ok()) << planned.status().message();
  EXPECT_EQ(planned->samples, (StoredSamples{2 * 30, 2 * (21 * 18 - 30), 2 * (1024 - 21 * 18), 2}));
  EXPECT_EQ(planned->stored_bytes, plan_step(schema, 4, split, options)->stored_bytes);
}

/// A grid with 2^54 samples: time and memory follow the blocks that are stored.
TEST(PlanStepKeep, TakesNoTimeForBlocksThatAreNotStored) {
  Schema schema;
  std::vector<DimId> dims;
  for (const char* name : {"x", "y", "z"}) dims.push_back(schema.add_dim(name, Index{1} << 18).value());
  const int grid = schema.add_grid("xyz", dims).value().index;
  schema.add_field({"a", grid, SampleType::kFloat32, 1, false, 1, {}}).status().check();
  const Index edge = Index{1} << 18, at = edge / 3;
  const SplitOfGrid split = [&](const Grid&) {
    return BrickDecomposition::near_cubic(3, {edge, edge, edge, 1, 1}, 4096);
  };
  const KeepOfGrid keep = [&](const Grid&) {
    return std::vector{KeepRule::inside({Box{{at, at, at}, {at + 100, at + 90, at + 80}}}),
                       KeepRule::inside({Box{{0, 0, 0}, {edge, edge, edge / 2}}}, -33),
                       KeepRule::everywhere(-36)};
  };
  const auto planned = plan_step(schema, 4096, split, {}, {}, keep);
  ASSERT_TRUE(planned.ok()) << planned.status().message();
  const Index everywhere = Index{1} << 18, in_half = Index{1} << 20;  // of levels 18 and 21 of 54
  EXPECT_NEAR(static_cast<double>(planned->samples.primary),
              static_cast<double>(everywhere / 2 + in_half + 100 * 90 * 80), 10);
  EXPECT_LT(planned->samples.blocks, 2000);
}

}  // namespace
}  // namespace esker
