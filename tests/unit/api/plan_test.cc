// plan_step() says what Writer then does.
#include "esker/plan.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "esker/decomposition.hpp"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "write/pipeline.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario and ranks

Options small_blocks(bool aggregate) {
  Options options;
  options.report = "none";
  options.bits_per_block = 7;
  options.blocks_per_file = 8;
  options.memory_budget_bytes = Index{100} << 10;
  options.aggregators = 3;
  options.aggregate = aggregate;
  options.transport = Transport::kMessages;  // what the planner counts
  options.checksums = aggregate;
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

class PlanStep : public testing::TestWithParam<bool> {};

TEST_P(PlanStep, SaysWhatAWriterMoves) {
  const Schema schema = mixed_schema();
  const Options options = small_blocks(GetParam());
  for (const int n_ranks : {1, 4, 7}) {
    const auto planned = plan_step(
        schema, n_ranks,
        [&](int rank, const Grid& grid) { return columns(rank, n_ranks, schema.box_of(grid)); }, options);
    ASSERT_TRUE(planned.ok()) << planned.status().message();
    const auto store = memory_store();
    run_ranks(n_ranks, [&](const Communicator& comm) {
      auto pipeline = WritePipeline::create(comm.get(), store, "run.idx", options).value();
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

INSTANTIATE_TEST_SUITE_P(Phases, PlanStep, testing::Bool(),
                         [](const auto& test) { return test.param ? "Two" : "One"; });

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
