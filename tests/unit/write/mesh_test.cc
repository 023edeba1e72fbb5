// Steps of meshes: what is stored, and what readers get, against brute force over all samples of the finest
// level.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "formats/registry/open_dataset.h"
#include "grid/selection.h"
#include "support/hierarchy.h"
#include "support/read_box.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "write/pipeline.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario and ranks

template <class T>
Schema schema_of(const Mesh& mesh) {
  Schema schema;
  const GridId grid = schema.add_mesh("amr", mesh).value();
  schema.add_field({"density", grid.index, sample_type_of<T>(), 1, false, 1, {}}).status().check();
  return schema;
}

/// Writes the patches of a hierarchy, dealt to ranks, at each of two steps.
template <class T = double>
Status write_mesh(const std::shared_ptr<Store>& store, const Hierarchy& hierarchy, int n_ranks,
                  const std::map<std::string, std::string>& settings = {}) {
  Options options;
  options.report = "none";
  for (const auto& [key, value] : settings) options.set(key, value).check();
  const Schema schema = schema_of<T>(hierarchy.mesh);
  Status written;
  run_ranks(n_ranks, [&](const Communicator& comm) {
    auto pipeline = WritePipeline::create(comm.get(), store, "run.idx", options).value();
    pipeline->define({}, schema).check();
    Status status;
    for (Index step = 0; step < 2 && status.ok(); ++step) {
      StepInput input{{}, step, static_cast<double>(step), {}};
      input.patches.resize(1);
      input.mesh_patches.resize(1);
      std::vector<std::vector<T>> memory;
      for (std::size_t p = 0; p < hierarchy.patches.size(); ++p) {
        if (static_cast<int>((p + static_cast<std::size_t>(step)) % static_cast<std::size_t>(n_ranks)) !=
            comm.rank())
          continue;
        const MeshBox& patch = hierarchy.patches[p];
        memory.push_back(samples_of<T>(hierarchy, p));
        input.mesh_patches[0].push_back({patch.level, Patch(Patch::dense(patch.box, memory.back().data()))});
      }
      status = pipeline->write_step(std::move(input));
    }
    if (status.ok()) status = pipeline->close({});
    if (comm.rank() == 0) written = status;
  });
  return written;
}

/// All samples of a box of the finest level, missing ones the nearest.
template <class T>
std::vector<T> read_box(const OpenedDataset& dataset, Index step, const Box& box) {
  const Bitmask mask = dataset.bitmask(0).value();
  std::vector<T> found(static_cast<std::size_t>(box.num_samples()));
  const ReadTarget target = ReadTarget::dense(select_samples(mask, box, mask.max_level()), mask.max_level(),
                                              reinterpret_cast<std::byte*>(found.data()), Index{sizeof(T)});
  dataset.read(0, step, target, {}).check();
  return found;
}

// A mesh whose coarsest level is complete is read as piecewise constant, bit for bit, on any box.
TEST(MeshStep, IsReadAsTheCompositeOfItsPatches) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const Hierarchy hierarchy = random_hierarchy(random);
    const auto store = memory_store();
    std::map<std::string, std::string> settings{{"bits_per_block", std::to_string(1 + random() % 6)}};
    if (round % 4 == 0) settings["compression"] = "zip";
    if (round % 3 == 0) settings["transport"] = "put_types";
    const Status status = write_mesh(store, hierarchy, 1 + static_cast<int>(random() % 4), settings);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(findings_of(store, "run.idx"), std::vector<std::string>());
    const auto dataset = open_dataset(store, "run.idx").value();
    const Box finest = hierarchy.mesh.domain(hierarchy.mesh.num_levels() - 1);
    for (const Index step : {0, 1}) {
      Box box = finest;
      for (int a = 0; a < box.rank && step > 0; ++a) {
        box.lo[a] = static_cast<Index>(random() % static_cast<std::uint64_t>(finest.hi[a]));
        box.hi[a] = box.lo[a] + 1 +
                    static_cast<Index>(random() % static_cast<std::uint64_t>(finest.hi[a] - box.lo[a]));
      }
      std::vector<double> expected;
      for_each_point(box, [&](const Point& p) { expected.push_back(composite_at(hierarchy, p)); });
      ASSERT_EQ(read_box<double>(*dataset, step, box), expected) << box.to_string();
    }
  }
}

/// Whether a sample of the finest level with this value is itself that of a patch, not only in its cell.
bool is_of_patch(const Mesh& mesh, double value, const Point& p) {
  const Point ratio = mesh.ratio_to_finest(static_cast<int>(static_cast<Index>(value) % 8));
  return std::all_of(p.begin(), p.end(), [&, a = 0](Index at) mutable { return at % ratio[a++] == 0; });
}

// The first of the patches that share a node is stored there, on any number of ranks.
TEST(MeshStep, OfNodesIsReadAsTheCompositeOfItsPatches) {
  std::mt19937 random(29);
  int n_shared = 0;
  for (int round = 0; round < 80; ++round) {
    SCOPED_TRACE(round);
    const Hierarchy hierarchy = random_hierarchy(random, Centering::kNodes);
    const auto store = memory_store();
    const std::map<std::string, std::string> settings{{"bits_per_block", std::to_string(1 + random() % 6)}};
    const Status status = write_mesh(store, hierarchy, 1 + static_cast<int>(random() % 4), settings);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(findings_of(store, "run.idx"), std::vector<std::string>());
    const auto dataset = open_dataset(store, "run.idx").value();
    const Box finest = hierarchy.mesh.domain(hierarchy.mesh.num_levels() - 1);
    std::vector<double> expected;
    for_each_point(finest, [&](const Point& p) { expected.push_back(composite_at(hierarchy, p)); });
    ASSERT_EQ(read_box<double>(*dataset, 1, finest), expected);
    for (std::size_t n = 0; n < hierarchy.patches.size(); ++n) {
      for (std::size_t m = 0; m < n; ++m) {
        const auto& [a, b] = std::pair(hierarchy.patches[n], hierarchy.patches[m]);
        if (a.level == b.level && !intersect(a.box, b.box).empty()) ++n_shared;
      }
    }
  }
  EXPECT_GT(n_shared, 40);
}

// Samples without any patch are fill values at each level of reading, and not stored in mask and level map.
TEST(MeshStep, HasFillValuesInGaps) {
  std::mt19937 random(17);
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    Hierarchy hierarchy = random_hierarchy(random);
    if (hierarchy.patches.size() > 1) hierarchy.patches.erase(hierarchy.patches.begin());
    const auto store = memory_store();
    ASSERT_TRUE(write_mesh(store, hierarchy, 1 + round % 4, {{"bits_per_block", "3"}}).ok());
    const auto dataset = open_dataset(store, "run.idx").value();
    const Bitmask mask = dataset->bitmask(0).value();
    const Box finest = hierarchy.mesh.domain(hierarchy.mesh.num_levels() - 1);
    for (int level = 0; level <= mask.max_level(); ++level) {
      const Lattice samples = select_samples(mask, finest, level);
      const auto count = static_cast<std::size_t>(samples.num_samples());
      std::vector<double> found(count);
      std::vector<std::uint8_t> is_stored(count, 1);
      std::vector<std::int8_t> levels(count);
      ReadTarget target = ReadTarget::dense(samples, level, reinterpret_cast<std::byte*>(found.data()), 8);
      target.is_stored = is_stored.data();
      dataset->read(0, 1, target, {}).check();
      dataset->stored_levels(0, 1, samples, levels).check();
      std::size_t at = 0;
      for_each_point(samples.all_indices(), [&](const Point& index) {
        Point p{};
        for (int a = 0; a < samples.rank; ++a) p[a] = samples.origin[a] + index[a] * samples.stride[a];
        const double expected = composite_at(hierarchy, p);
        ASSERT_EQ(found[at], expected) << level;
        if (expected == kNoPatch) {
          ASSERT_EQ(is_stored[at], 0);
          ASSERT_EQ(levels[at], -1);
        } else if (is_of_patch(hierarchy.mesh, expected, p)) {
          ASSERT_EQ(is_stored[at], 1);
        }
        ++at;
      });
    }
    const std::vector<MeshBox> listed = dataset->patches(0, 1).value();
    ASSERT_EQ(listed.size(), hierarchy.patches.size());
    for (const MeshBox& patch : hierarchy.patches) {
      EXPECT_EQ(std::count(listed.begin(), listed.end(), patch), 1) << patch.box.to_string();
    }
  }
}

// Here the mesh is what differs; a damaged list has the same effect.
TEST(MeshStep, WithPatchesThatAreNotInItsMeshIsDamage) {
  Hierarchy hierarchy;
  hierarchy.mesh = {.axes = {"x", "y"}, .extent = {8, 8}, .ratios = {{2, 2}}};
  hierarchy.patches = {{0, Box{{0, 0}, {8, 8}}}, {1, Box{{2, 2}, {6, 6}}}};
  const auto store = memory_store();
  ASSERT_TRUE(write_mesh(store, hierarchy, 2).ok());
  const auto dataset = open_dataset(store, "run.idx").value();
  VerifyReport good, damaged;
  ASSERT_TRUE(dataset->verify(good, {}).ok());
  EXPECT_EQ(good.num_errors, 0);
  dataset->schema = schema_of<double>({.axes = {"x", "y"}, .extent = {16, 16}});
  ASSERT_TRUE(dataset->verify(damaged, {}).ok());
  EXPECT_EQ(damaged.num_errors, 2);  // steps
  std::vector<double> samples(256);
  const Lattice all = select_samples(dataset->bitmask(0).value(), dataset->box(0), 8);
  const auto target = ReadTarget::dense(all, 8, reinterpret_cast<std::byte*>(samples.data()), 8);
  const Status status = dataset->read(0, 1, target, {});
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_NE(status.message().find("blocks.set"), std::string::npos) << status.message();
}

TEST(MeshStep, HasTheSameBytesOnAnyNumberOfRanks) {
  std::mt19937 random(11);
  for (int round = 0; round < 6; ++round) {
    const auto centering = round % 2 == 0 ? Centering::kCells : Centering::kNodes;
    const Hierarchy hierarchy = random_hierarchy(random, centering);
    std::shared_ptr<Store> first;
    for (const int n_ranks : {1, 2, 4, 7}) {
      const auto store = memory_store();
      ASSERT_TRUE(write_mesh(store, hierarchy, n_ranks, {{"bits_per_block", "4"}}).ok());
      if (!first) first = store;
      expect_same_files(*store, *first, ".");
    }
  }
}

TEST(MeshStep, HasTheSameBytesInEveryWayOfMovingSamples) {
  std::mt19937 random(13);
  for (int round = 0; round < 8; ++round) {
    SCOPED_TRACE(round);
    Hierarchy hierarchy = random_hierarchy(random);
    if (round % 2 == 0) hierarchy.patches.erase(hierarchy.patches.begin());  // gaps
    const auto first = memory_store();
    ASSERT_TRUE(write_mesh(first, hierarchy, 1, {{"bits_per_block", "4"}}).ok());
    for (std::map<std::string, std::string> way : ways_to_move()) {
      SCOPED_TRACE(text_of(way));
      way["bits_per_block"] = "4";
      const auto store = memory_store();
      const Status status = write_mesh(store, hierarchy, 4, way);
      ASSERT_TRUE(status.ok()) << status.message();
      expect_same_files(*store, *first, ".");
    }
  }
}

TEST(MeshStep, RefusesPatchesThatOverlap) {
  Hierarchy hierarchy;
  hierarchy.mesh = {.axes = {"x", "y"}, .extent = {8, 8}, .ratios = {{2, 2}}};
  hierarchy.patches = {{0, Box{{0, 0}, {8, 8}}}, {1, Box{{2, 2}, {6, 6}}}, {1, Box{{5, 5}, {9, 9}}}};
  const Status status = write_mesh(memory_store(), hierarchy, 3);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("level 1"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("[5,6) x [5,6)"), std::string::npos) << status.message();
}

/// Two node-centered patches of level 1 on two ranks, which share 5 nodes.
Hierarchy two_patches_of_nodes() {
  Hierarchy hierarchy;
  hierarchy.mesh = {.axes = {"x", "y"}, .extent = {8, 8}, .ratios = {{2, 2}}, .centering = Centering::kNodes};
  hierarchy.patches = {{0, Box{{0, 0}, {9, 9}}}, {1, Box{{2, 2}, {7, 7}}}, {1, Box{{6, 2}, {11, 7}}}};
  return hierarchy;
}

TEST(MeshStep, ComparesValuesAtSharedNodesOnRequest) {
  Hierarchy hierarchy = two_patches_of_nodes();
  const std::map<std::string, std::string> compares{{"compare_shared_nodes", "true"}};
  EXPECT_TRUE(write_mesh(memory_store(), hierarchy, 3, compares).ok());
  hierarchy.differs_by_patch = true;
  EXPECT_TRUE(write_mesh(memory_store(), hierarchy, 3).ok());
  for (const int n_ranks : {1, 3}) {
    const Status status = write_mesh(memory_store(), hierarchy, n_ranks, compares);
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    for (const char* part : {"mesh 'amr', level 1, field 'density'", "[2,7) x [2,7)", "[6,11) x [2,7)",
                             "different values at the node (6, 2): 16049.015625 and 16049.03125"}) {
      EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
    }
  }
}

TEST(MeshStep, RefusesNodesSharedInsideOfAPatch) {
  Hierarchy hierarchy = two_patches_of_nodes();
  hierarchy.patches.back().box = Box{{5, 2}, {11, 7}};
  const Status status = write_mesh(memory_store(), hierarchy, 3);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("overlap in [5,7) x [2,7); they may share nodes on their borders only"),
            std::string::npos)
      << status.message();
}

TEST(MeshStep, RefusesPatchesThatAreNotNestedAsPromised) {
  for (const auto centering : {Centering::kCells, Centering::kNodes}) {
    Hierarchy hierarchy;
    hierarchy.mesh = {
        .axes = {"x", "y"}, .extent = {8, 8}, .ratios = {{2, 2}, {4, 4}}, .centering = centering};
    const Index node = centering == Centering::kNodes ? 1 : 0;
    hierarchy.patches = {{0, hierarchy.mesh.domain(0)},
                         {1, Box{{2, 2}, {6 + node, 6 + node}}},
                         {1, Box{{6, 2}, {10 + node, 6 + node}}},
                         {2, Box{{20, 16}, {28 + node, 24 + node}}}};
    hierarchy.mesh.nested = true;
    const Status nested = write_mesh(memory_store(), hierarchy, 3);
    EXPECT_TRUE(nested.ok()) << nested.message();
    ++hierarchy.patches.back().box.hi[1];  // to 25 of 24 cells
    const Status status = write_mesh(memory_store(), hierarchy, 3);
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_NE(status.message().find("mesh 'amr', level 2: the patch " +
                                    hierarchy.patches.back().box.to_string() + " is not nested in level 1"),
              std::string::npos)
        << status.message();
    hierarchy.mesh.nested = false;
    EXPECT_TRUE(write_mesh(memory_store(), hierarchy, 3).ok());
  }
}

// Work follows the blocks that are written, not the index space.
TEST(MeshStep, MayHaveAHugeIndexSpace) {
  Hierarchy hierarchy;
  hierarchy.mesh = {
      .axes = {"x", "y", "z"}, .extent = {1 << 18, 1 << 18, 1 << 18}, .ratios = {{2, 2, 2}, {2, 2, 2}}};
  std::mt19937_64 random(5);
  for (int n = 0; n < 100; ++n) {
    const int level = n % 3;
    const Box domain = hierarchy.mesh.domain(level);
    Box box = domain;
    for (int a = 0; a < 3; ++a) {
      box.lo[a] = static_cast<Index>(random() % static_cast<std::uint64_t>(domain.hi[a] - 12));
      box.hi[a] = box.lo[a] + 12;
    }
    hierarchy.patches.push_back({level, box});
  }
  const auto store = memory_store();
  const Status status =
      write_mesh<float>(store, hierarchy, 4, {{"bits_per_block", "9"}, {"blocks_per_file", "128"}});
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(findings_of(store, "run.idx"), std::vector<std::string>());
  const auto dataset = open_dataset(store, "run.idx").value();
  for (const MeshBox& patch : hierarchy.patches) {
    const Box box = hierarchy.mesh.in_finest(patch.box, patch.level);
    std::vector<float> expected;
    for_each_point(
        box, [&](const Point& p) { expected.push_back(static_cast<float>(composite_at(hierarchy, p))); });
    ASSERT_EQ(read_box<float>(*dataset, 1, box), expected) << box.to_string();
  }
}

}  // namespace
}  // namespace esker
