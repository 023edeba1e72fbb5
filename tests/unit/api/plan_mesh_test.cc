// plan_step() of the patches of a mesh agrees with Writer.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "esker/plan.hpp"
#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "unit/api/amounts.h"
#include "write/pipeline.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario and ranks

Mesh three_levels() {
  return {.axes = {"x", "y", "z"}, .extent = {20, 15, 10}, .ratios = {{2, 2, 2}, {4, 2, 2}}};
}

/// The tiles of a level with about one in `every`, which begin at odd indices as well as even ones.
void add_tiles(const Mesh& mesh, int level, Index edge, Index every, std::vector<MeshBox>& patches) {
  const Box domain = mesh.domain(level);
  Box tiles = domain;
  for (int a = 0; a < domain.rank; ++a) tiles.hi[a] = (domain.hi[a] + edge - 1) / edge;
  for_each_point(tiles, [&](const Point& tile) {
    if ((7 * tile[0] + 5 * tile[1] + 3 * tile[2]) % every != 0) return;
    Box box = domain;
    for (int a = 0; a < domain.rank; ++a) {
      box.lo[a] = tile[a] * edge;
      box.hi[a] = std::min(box.lo[a] + edge, domain.hi[a]);
    }
    patches.push_back({level, box});
  });
}

std::vector<MeshBox> patches_of(const Mesh& mesh) {
  std::vector<MeshBox> patches;
  add_tiles(mesh, 0, 5, 3, patches);
  add_tiles(mesh, 1, 5, 8, patches);
  add_tiles(mesh, 2, 7, 11, patches);
  return patches;
}

/// Rank 0 has none if there are others.
std::vector<MeshBox> dealt(const std::vector<MeshBox>& patches, int rank, int n_ranks) {
  if (n_ranks > 1 && rank == 0) return {};
  std::vector<MeshBox> mine;
  for (std::size_t p = 0; p < patches.size(); ++p) {
    const auto part = static_cast<int>(p % static_cast<std::size_t>(std::max(1, n_ranks - 1)));
    if (part == std::max(0, rank - 1)) mine.push_back(patches[p]);
  }
  return mine;
}

Schema schema_of(const Mesh& mesh) {
  Schema schema;
  const int grid = schema.add_mesh("amr", mesh).value().index;
  schema.add_field({"density", grid, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  schema.add_field({"velocity", grid, SampleType::kFloat32, 3, false, 1, {}}).status().check();
  return schema;
}

struct MeshWay {
  const char* name;
  std::map<std::string, std::string> options;
};

void PrintTo(const MeshWay& way, std::ostream* out) { *out << way.name; }

Options options_of(const MeshWay& way) {
  Options options;
  options.report = "none";
  options.blocks_per_file = 4;
  options.memory_budget_bytes = Index{64} << 20;  // room for the plans, which are not counted here
  options.collective_buffer_bytes = Index{32} << 10;
  options.aggregators = 3;
  options.transport = Transport::kMessages;  // the planner counts messages
  for (const auto& [name, value] : way.options) options.set(name, value).check();
  return options;
}

StepInput input_of(const std::vector<MeshBox>& patches, const Schema& schema,
                   std::vector<std::vector<double>>& memory) {
  StepInput input{{}, 0, 0, {}};
  input.patches.resize(schema.fields().size());
  input.mesh_patches.resize(schema.fields().size());
  for (const MeshBox& patch : patches) {
    memory.emplace_back(static_cast<std::size_t>(patch.box.num_samples() * 2), 1.0);
    const Patch density(Patch::dense(patch.box, memory.back().data()));
    Patch velocity(Patch::dense(patch.box, reinterpret_cast<const float*>(memory.back().data())));
    for (int a = 0; a < patch.box.rank; ++a) velocity.stride_bytes[a] *= 3;
    velocity.component_stride_bytes = sizeof(float);
    input.mesh_patches[0].push_back({patch.level, density});
    input.mesh_patches[1].push_back({patch.level, velocity});
  }
  return input;
}

void expect_same_step(const PlanReport& planned, const StepReport& step) {
  EXPECT_EQ(planned.stored_bytes, step.stored_bytes);
  EXPECT_EQ(planned.files, step.files);
  EXPECT_EQ(planned.writers, step.writers);
  StoredSamples listed;
  for (const StepReport::FieldSamples& field : step.fields) {
    listed.primary += field.samples.primary;
    listed.secondary += field.samples.secondary;
    listed.padding += field.samples.padding;
    listed.blocks += field.samples.blocks;
  }
  EXPECT_EQ(planned.samples, listed);
  if (step.fields.empty()) return;  // not a sparse step
  EXPECT_NEAR(planned.write_imbalance, step.write_imbalance, 1e-9);
}

class PlanMesh : public testing::TestWithParam<MeshWay> {};

TEST_P(PlanMesh, AgreesWithTheStepOfAWriter) {
  const Mesh mesh = three_levels();
  const Schema schema = schema_of(mesh);
  const std::vector<MeshBox> patches = patches_of(mesh);
  const Options options = options_of(GetParam());
  for (const int n_ranks : {1, 2, 4, 7}) {
    SCOPED_TRACE(n_ranks);
    const PatchesOfRank of_rank = [&](int rank, const Grid&) { return dealt(patches, rank, n_ranks); };
    const auto planned = plan_step(schema, n_ranks, of_rank, options);
    ASSERT_TRUE(planned.ok()) << planned.status().message();
    const auto store = memory_store();
    run_ranks(n_ranks, [&](const Communicator& comm) {
      auto pipeline = WritePipeline::create(comm.get(), store, "run", options).value();
      pipeline->define({}, schema).check();
      std::vector<std::vector<double>> memory;
      pipeline->write_step(input_of(dealt(patches, comm.rank(), n_ranks), schema, memory)).check();
      const RunReport report = pipeline->report().value();
      if (comm.rank() != 0) return;
      expect_same_step(*planned, pipeline->steps().front());
      expect_same(planned->messages, report, "messages");
      expect_same(planned->sent_bytes, report, "sent_bytes");
      expect_same(planned->written_bytes, report, "stored_bytes");
    });
  }
}

const std::vector<MeshWay> kMeshWays{
    {"LargeBlocks", {{"bits_per_block", "8"}}},
    {"SmallBlocks", {{"bits_per_block", "4"}}},
    {"ChosenBlocks", {}},
    {"Restructured", {{"bits_per_block", "6"}, {"restructure", "default"}}},
    {"OfTypes", {{"bits_per_block", "6"}, {"transport", "put_types"}}},
#ifdef ESKER_HAVE_HDF5
    {"Levels", {{"format", "vtkhdf"}}},
    {"LevelsRestructured", {{"format", "vtkhdf"}, {"restructure", "default"}}},
    {"LevelsAndArray", {{"format", "vtkhdf+idx"}, {"bits_per_block", "6"}}},
#endif
};

INSTANTIATE_TEST_SUITE_P(Ways, PlanMesh, testing::ValuesIn(kMeshWays),
                         [](const auto& test) { return test.param.name; });

TEST(PlanMeshReport, HasThePatchesOfLevels) {
  const Mesh mesh{.axes = {"x", "y"}, .extent = {4, 4}, .ratios = {{2, 2}}};
  Schema schema;
  const int grid = schema.add_mesh("amr", mesh).value().index;
  schema.add_field({"a", grid, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  const std::vector<std::vector<MeshBox>> of_ranks{{{0, Box{{0, 0}, {4, 4}}}}, {{1, Box{{2, 2}, {5, 6}}}}};
  const PatchesOfRank patches = [&](int rank, const Grid&) {
    return of_ranks[static_cast<std::size_t>(rank)];
  };
  const PlanReport planned = plan_step(schema, 2, patches).value();
  ASSERT_EQ(planned.levels.size(), 2u);
  EXPECT_EQ(planned.levels[0].patches, 1);
  EXPECT_EQ(planned.levels[0].samples, 16);
  EXPECT_EQ(planned.levels[0].covered, 3);  // 12 of the finer samples
  EXPECT_EQ(planned.levels[1].samples, 12);
  EXPECT_EQ(planned.data_bytes, (16 + 12) * 8);
  EXPECT_NE(planned.to_string().find("level 0: 1 patches, 16 samples, 3 of them covered"), std::string::npos);
}

// Any ratio, and more binary digits than an array has.
TEST(PlanMeshReport, IsMadeForWholeLevelsOfHugeMeshes) {
#ifndef ESKER_HAVE_HDF5
  GTEST_SKIP() << "built without HDF5";
#endif
  const Mesh mesh{.axes = {"x", "y", "z"},
                  .extent = {1000, 1000, 1000},
                  .ratios = {{3, 3, 3}, {1 << 20, 1 << 20, 1 << 20}}};
  const Schema schema = schema_of(mesh);
  const Index far = Index{900} << 20;
  const PatchesOfRank patches = [&](int rank, const Grid&) {
    if (rank == 0) return std::vector<MeshBox>{{0, Box{{0, 0, 0}, {4, 5, 6}}}};
    return std::vector<MeshBox>{{2, Box{{far, far, far}, {far + 3, far + 2, far + 1}}}};
  };
  Options options;
  options.format = "vtkhdf";
  const PlanReport planned = plan_step(schema, 2, patches, options).value();
  EXPECT_EQ(planned.files, 1);
  EXPECT_EQ(planned.stored_bytes, (4 * 5 * 6 + 6) * (8 + 12));
  EXPECT_EQ(planned.data_bytes, planned.stored_bytes);
  EXPECT_EQ(planned.levels[1].patches, 0);
  EXPECT_EQ(planned.levels[0].samples, 4 * 5 * 6);
  EXPECT_EQ(planned.levels[0].covered, 0);
  options.format = "vtkhdf+idx";
  EXPECT_EQ(plan_step(schema, 2, patches, options).status().code(), Code::kInvalidArgument);
}

TEST(PlanMeshErrors, AreThoseOfWriting) {
  const Schema schema = schema_of(three_levels());
  const auto status_of = [&](const std::vector<MeshBox>& patches, const std::string& format = "idx") {
    Options options;
    options.format = format;
    const PatchesOfRank of_rank = [&](int rank, const Grid&) {
      return rank == 1 ? patches : std::vector<MeshBox>();
    };
    return plan_step(schema, 2, of_rank, options).status();
  };
  const MeshBox good{0, Box{{0, 0, 0}, {2, 2, 2}}};
  EXPECT_TRUE(status_of({good}).ok());
  EXPECT_EQ(status_of({}).code(), Code::kInvalidArgument);
  EXPECT_EQ(status_of({good}, "cdf5").code(), Code::kUnsupported);
  EXPECT_EQ(status_of({{3, good.box}}).code(), Code::kOutOfRange);
  EXPECT_EQ(status_of({{0, Box{{0, 0, 0}, {21, 1, 1}}}}).code(), Code::kOutOfRange);
  EXPECT_EQ(
      status_of({good, {1, good.box}, {1, Box{{1, 1, 1}, {3, 3, 3}}}}).message(),
      "mesh 'amr', level 1: the patches [0,2) x [0,2) x [0,2) of rank 1 and [1,3) x [1,3) x [1,3) of rank 1 "
      "overlap in [1,2) x [1,2) x [1,2)");
  const SplitOfGrid split = [&](const Grid& grid) {
    return BrickDecomposition::near_cubic(3, schema.box_of(grid).hi, 4);
  };
  EXPECT_EQ(plan_step(schema, 4, split).status().message(),
            "plan: grid 'amr' is a mesh: expected its patches with their levels");
}

}  // namespace
}  // namespace esker
