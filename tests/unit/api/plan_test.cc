// plan_step() agrees with Writer.
#include "esker/plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "esker/types/decomposition.hpp"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "write/pipeline.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario and ranks

/// A way of writing, given by its options.
struct Way {
  const char* name;
  std::map<std::string, std::string> options;
  bool has_bits = false;  ///< stored_bits_schema()
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

double amount(const RunReport& report, const std::string& name, double Spread::*which) {
  for (const Spread& spread : report.amounts) {
    if (spread.name == name) return spread.*which;
  }
  return -1;
}

class PlanStep : public testing::TestWithParam<Way> {};

TEST_P(PlanStep, AgreesWithTheTrafficOfAWriter) {
  const Schema schema = GetParam().has_bits ? stored_bits_schema() : mixed_schema();
  const Options options = options_of(GetParam());
  for (const int n_ranks : {1, 4, 7}) {
    const auto planned = plan_step(
        schema, n_ranks,
        [&](int rank, const Grid& grid) { return columns(rank, n_ranks, schema.box_of(grid)); }, options);
    if (planned.status().code() == Code::kUnsupported) GTEST_SKIP() << planned.status().message();
    ASSERT_TRUE(planned.ok()) << planned.status().message();
    const auto store = memory_store();
    run_ranks(n_ranks, [&](const Communicator& comm) {
      auto pipeline = WritePipeline::create(comm.get(), store, "run", options).value();
      pipeline->define({}, schema).check();
      std::vector<PatchMemory> memory;
      memory.reserve(schema.fields().size());
      StepInput input{{}, 0, 0, {}};
      input.patches.resize(schema.fields().size());
      for (std::size_t f = 0; f < schema.fields().size(); ++f) {
        const Field& field = schema.fields()[f];
        const Box box = columns(comm.rank(), n_ranks, schema.box_of(schema.grids()[field.grid])).front();
        memory.emplace_back(field, static_cast<int>(f), 0, box, 0u);
        input.patches[f].push_back(memory.back().patch());
      }
      pipeline->write_step(input).check();
      const RunReport report = pipeline->report().value();
      if (comm.rank() != 0) return;
      const StepReport& step = pipeline->steps().front();
      EXPECT_EQ(planned->data_bytes, step.data_bytes);
      EXPECT_EQ(planned->stored_bytes, step.stored_bytes);
      EXPECT_EQ(planned->files, step.files);
      EXPECT_EQ(planned->writers, step.writers);
      const auto expect_same = [&](const OverRanks& plan, const std::string& name) {
        EXPECT_EQ(static_cast<double>(plan.min), amount(report, name, &Spread::min)) << name;
        EXPECT_NEAR(plan.mean, amount(report, name, &Spread::mean), 1e-6 * (1 + plan.mean)) << name;
        EXPECT_EQ(static_cast<double>(plan.max), amount(report, name, &Spread::max)) << name;
      };
      expect_same(planned->messages, "messages");
      expect_same(planned->sent_bytes, "sent_bytes");
      expect_same(planned->written_bytes, "stored_bytes");
      EXPECT_EQ(static_cast<double>(planned->buffer_bytes.max),
                amount(report, "peak_buffer_bytes", &Spread::max));
    });
  }
}

/// For pieces that are larger than blocks.
Way with_room(Way way) {
  way.options["memory_budget"] = "2M";
  return way;
}

const std::vector<Way> kWays{
    {"IdxOnePhase", {{"aggregate", "false"}, {"checksums", "false"}}},
    {"IdxTwoPhase", {}},
    {"StoredBits", {}, true},
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

}  // namespace
}  // namespace esker
