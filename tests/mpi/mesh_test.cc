// Adaptive meshes as a model writes them: new patches every step, levels that vanish and return, ranks
// without patches, restarts with other patches. And the errors of wrong patches, which are those of all
// ranks.
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "esker/esker.hpp"
#include "store/store.h"
#include "support/hierarchy.h"
#include "support/mpi_fixture.h"
#include "support/runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture and hierarchies

constexpr int kComponents = 3;

Options small_blocks() {
  Options options;
  options.bits_per_block = 5;
  options.blocks_per_file = 8;
  options.report = "none";
  return options;
}

/// A scalar, a vector and a compressed vector on one mesh.
Writer create(const std::string& path, const Communicator& comm, const Mesh& mesh, const Options& options) {
  Writer writer = Writer::create(path, comm, options).value();
  const GridId grid = writer.def_mesh("amr", mesh).value();
  (void)writer.def_field(grid, "rho", SampleType::kFloat64).value();
  (void)writer.def_field(grid, "vel", SampleType::kFloat32, {.components = kComponents}).value();
  (void)writer.def_field(grid, "energy", SampleType::kFloat64, {.components = 2, .compression = "zip"})
      .value();
  return writer;
}

/// A step with the patches of a hierarchy, which are dealt to the first `holders` ranks.
Status write_step(Writer& writer, const Communicator& comm, const Hierarchy& hierarchy, int holders) {
  const Index step = writer.num_steps();
  writer.begin_step(static_cast<double>(step)).check();
  std::deque<std::vector<double>> doubles;
  std::deque<std::vector<float>> floats;
  Status status;
  const auto put = [&](int field, const MeshBox& patch, auto& memory, int components) {
    const Patch samples = Patch(Patch::dense(patch.box, memory.data(), components));
    if (const Status one = writer.put(FieldId{field}, patch.level, samples); status.ok()) status = one;
  };
  for (std::size_t p = 0; p < hierarchy.patches.size(); ++p) {
    if ((static_cast<int>(p) + static_cast<int>(step)) % holders != comm.rank()) continue;
    const MeshBox& patch = hierarchy.patches[p];
    put(0, patch, doubles.emplace_back(samples_of<double>(hierarchy, p)), 1);
    put(1, patch, floats.emplace_back(samples_of<float>(hierarchy, p, kComponents)), kComponents);
    put(2, patch, doubles.emplace_back(samples_of<double>(hierarchy, p, 2)), 2);
  }
  const Status ended = writer.end_step();
  EXPECT_TRUE(status.ok() || !ended.ok()) << status.message();
  return ended;
}

template <class T>
void expect_field(const Dataset& dataset, const std::string& field, Index step, const Hierarchy& hierarchy,
                  const Box& box, int components) {
  std::vector<T> expected, found(static_cast<std::size_t>(box.num_samples() * components));
  for_each_point(box, [&](const Point& p) {
    const double value = composite_at(hierarchy, p);
    for (int c = 0; c < components; ++c) {
      expected.push_back(value == kNoPatch ? static_cast<T>(kNoPatch) : component_of<T>(value, c));
    }
  });
  dataset.read({.field = field, .step = step, .box = box}, found.data(), found.size() * sizeof(T)).check();
  EXPECT_EQ(found, expected) << field << " step " << step;
}

void expect_step(const Dataset& dataset, Index step, const Hierarchy& hierarchy) {
  const Box box = hierarchy.mesh.domain(hierarchy.mesh.num_levels() - 1);
  expect_field<double>(dataset, "rho", step, hierarchy, box, 1);
  expect_field<float>(dataset, "vel", step, hierarchy, box, kComponents);
  expect_field<double>(dataset, "energy", step, hierarchy, box, 2);
  std::vector<MeshBox> sorted = hierarchy.patches;
  std::stable_sort(sorted.begin(), sorted.end(), [](const MeshBox& a, const MeshBox& b) {
    return a.level != b.level ? a.level < b.level : is_lower(a.box, b.box);
  });
  EXPECT_EQ(dataset.patches("rho", step).value(), sorted) << step;
}

class MeshTest : public MpiTest {
 protected:
  /// The steps of a run: random patches, of which the finest level vanishes and returns, covers all of a
  /// level, and has one sample.
  static std::vector<Hierarchy> steps_of(std::mt19937& random, const Mesh& mesh) {
    std::vector<Hierarchy> steps;
    const int finest = mesh.num_levels() - 1;
    for (int step = 0; step < 5; ++step) {
      Hierarchy& made = steps.emplace_back(
          Hierarchy{mesh, random_patches(random, mesh), mesh.centering == Centering::kNodes});
      if (step == 0) continue;
      std::erase_if(made.patches, [&](const MeshBox& patch) { return patch.level == finest; });
      if (step == 2) made.patches.push_back({finest, mesh.domain(finest)});
      if (step > 2) {
        Box one = mesh.domain(finest);
        for (int a = 0; a < one.rank; ++a) one.lo[a] = below(random, one.hi[a]), one.hi[a] = one.lo[a] + 1;
        made.patches.push_back({finest, one});
      }
    }
    return steps;
  }

  /// Three steps, and the last two by a writer that appends, with other patches.
  static void write_run(const std::string& path, const Communicator& comm,
                        const std::vector<Hierarchy>& steps) {
    const Options options = small_blocks();
    Writer writer = create(path, comm, steps.front().mesh, options);
    for (std::size_t step = 0; step < 3; ++step) {
      const int holders = step == 1 ? 1 : comm.size();
      write_step(writer, comm, steps[step], holders).check();
    }
    writer.close().check();
    Writer rest = Writer::append(path, comm, options).value();
    for (std::size_t step = 3; step < steps.size(); ++step) {
      write_step(rest, comm, steps[step], std::max(1, comm.size() - 1)).check();
    }
    rest.close().check();
  }

  void check_mesh(std::mt19937& random, int rank, Centering centering) {
    const std::vector<Hierarchy> steps = steps_of(random, random_mesh(random, rank, centering));
    const std::string name = "run" + std::to_string(n_runs_++);
    write_run(path(name + "/run.idx"), comm_, steps);
    if (comm_.rank() == 0) {
      const Dataset dataset = Dataset::open(path(name + "/run.idx")).value();
      for (std::size_t step = 0; step < steps.size(); ++step) {
        expect_step(dataset, static_cast<Index>(step), steps[step]);
      }
      EXPECT_EQ(findings_of(posix_store(), path(name + "/run.idx")), std::vector<std::string>());
      write_run(path("alone/run.idx"), Communicator::serial(), steps);
      const auto files = all_files(*posix_store(), path(name)),
                 alone = all_files(*posix_store(), path("alone"));
      EXPECT_EQ(files.size(), alone.size());
      for (const auto& [file, bytes] : files) {
        EXPECT_TRUE(alone.at(path("alone") + file.substr(path(name).size())) == bytes) << file;
      }
      std::filesystem::remove_all(path("alone"));
    }
    comm_.get()->barrier();
  }

  /// The status of a step with these patches, the same on all ranks.
  Status written(const Mesh& mesh, const std::vector<MeshBox>& patches, bool differs_by_patch = false,
                 const Options& options = small_blocks()) {
    Options replaces = options;
    replaces.overwrite = true;
    Writer writer = create(path("errors.idx"), comm_, mesh, replaces);
    const Status status = write_step(writer, comm_, {mesh, patches, differs_by_patch}, comm_.size());
    writer.close().check();
    return status;
  }
  void expect_refused(const Status& status, Code code, const std::vector<std::string>& parts) {
    expect_everywhere(status, code);
    for (const std::string& part : parts) {
      EXPECT_NE(status.message().find(part), std::string::npos) << part << " in: " << status.message();
    }
  }

  Mesh mesh_{.axes = {"x", "y"}, .extent = {8, 8}, .ratios = {{2, 2}, {2, 2}}};
  int n_runs_ = 0;
};

TEST_F(MeshTest, IsReadAsTheCompositeOfEachStep) {
  std::mt19937 random(static_cast<unsigned>(30 + comm_.size()));  // other meshes on other numbers of ranks
  for (int rank = 1; rank <= 4; ++rank) {
    for (const auto centering : {Centering::kCells, Centering::kNodes}) {
      SCOPED_TRACE(std::to_string(rank) + " axes");
      check_mesh(random, rank, centering);
    }
  }
}

TEST_F(MeshTest, WithRatiosThatAreNoPowersOfTwoIsRefused) {
  Options options = small_blocks();
  Writer writer = Writer::create(path("run.idx"), comm_, options).value();
  mesh_.ratios = {{3, 3}};
  const Status defined = writer.def_mesh("amr", mesh_).status();
  expect_refused(defined, Code::kInvalidArgument, {"mesh 'amr'", "ratio 3 of axis 'x'", "power of two"});
  writer.begin_step(0).check();
  expect_everywhere(writer.end_step(), Code::kInvalidArgument);
}

TEST_F(MeshTest, WithTooManyDigitsIsOfferedAnotherFormat) {
  Writer writer = Writer::create(path("run.idx"), comm_, small_blocks()).value();
  mesh_ = {.axes = {"x", "y", "z"}, .extent = {1 << 20, 1 << 20, 1 << 20}, .ratios = {{2, 2, 2}}};
  const Status defined = writer.def_mesh("amr", mesh_).status();
  expect_refused(defined, Code::kOutOfRange, {"63 binary digits", "at most 62", "vtkhdf"});
}

// One rank is wrong, and all have its error. The next step is written.
TEST_F(MeshTest, PatchesOutsideOfItAreErrorsOfAllRanks) {
  const std::vector<double> samples(64, 1.0);
  const std::vector<std::pair<MeshBox, std::vector<std::string>>> wrong{
      {{3, Box{{0, 0}, {4, 4}}}, {"level 3", "0 to 2"}},
      {{-1, Box{{0, 0}, {4, 4}}}, {"level -1", "0 to 2"}},
      {{1, Box{{13, 0}, {17, 4}}}, {"[13,17) x [0,4)", "level 1", "[0,16) x [0,16)"}}};
  Writer writer = Writer::create(path("run.idx"), comm_, small_blocks()).value();
  const FieldId rho =
      writer.def_field(writer.def_mesh("amr", mesh_).value(), "rho", SampleType::kFloat64).value();
  for (const auto& [patch, parts] : wrong) {
    writer.begin_step(0).check();
    if (is_last_rank()) {
      EXPECT_EQ(writer.put(rho, patch.level, Patch::dense(patch.box, samples.data())).code(),
                Code::kOutOfRange);
    }
    expect_refused(writer.end_step(), Code::kOutOfRange, parts);
  }
  writer.begin_step(0).check();
  if (is_last_rank()) writer.put(rho, 0, Patch::dense(mesh_.domain(0), samples.data())).check();
  expect_everywhere(writer.end_step(), Code::kOk);
}

TEST_F(MeshTest, PatchesThatOverlapAreErrorsThatNameThem) {
  const Status status = written(
      mesh_,
      {{0, mesh_.domain(0)}, {1, Box{{2, 2}, {6, 6}}}, {1, Box{{8, 8}, {9, 9}}}, {1, Box{{5, 5}, {9, 8}}}});
  expect_refused(status, Code::kInvalidArgument,
                 {"mesh 'amr', level 1", "[2,6) x [2,6)", "[5,9) x [5,8)", "overlap in [5,6) x [5,6)"});
}

TEST_F(MeshTest, PatchesThatAreNotNestedAsPromisedAreErrors) {
  mesh_.nested = true;
  std::vector<MeshBox> patches{
      {0, mesh_.domain(0)}, {1, Box{{2, 2}, {6, 6}}}, {1, Box{{6, 2}, {10, 6}}}, {2, Box{{8, 4}, {20, 12}}}};
  expect_everywhere(written(mesh_, patches), Code::kOk);
  patches.back().box.hi[0] = 21;
  const std::vector<std::string> parts{"mesh 'amr', level 2", "[8,21) x [4,12)", "not nested in level 1",
                                       "[10,11) x [2,6)"};
  expect_refused(written(mesh_, patches), Code::kInvalidArgument, parts);
  // A writer that appends keeps the promise.
  Options options = small_blocks();
  Writer writer = create(path("promise.idx"), comm_, mesh_, options);
  write_step(writer, comm_, {mesh_, {patches.front()}}, comm_.size()).check();
  writer.close().check();
  Writer rest = Writer::append(path("promise.idx"), comm_, options).value();
  expect_refused(write_step(rest, comm_, {mesh_, patches}, comm_.size()), Code::kInvalidArgument, parts);
  patches.pop_back();
  expect_everywhere(write_step(rest, comm_, {mesh_, patches}, comm_.size()), Code::kOk);
}

TEST_F(MeshTest, DifferentValuesAtSharedNodesAreErrorsOnRequest) {
  mesh_.centering = Centering::kNodes;
  const std::vector<MeshBox> patches{
      {0, mesh_.domain(0)}, {1, Box{{2, 2}, {7, 7}}}, {1, Box{{6, 2}, {11, 7}}}};
  Options options = small_blocks();
  expect_everywhere(written(mesh_, patches, true, options), Code::kOk);
  options.compare_shared_nodes = true;
  expect_everywhere(written(mesh_, patches, false, options), Code::kOk);
  expect_refused(written(mesh_, patches, true, options), Code::kInvalidArgument,
                 {"mesh 'amr', level 1, field 'rho'", "[2,7) x [2,7)", "[6,11) x [2,7)", "node (6, 2)",
                  "16049.015625 and 16049.03125"});
}

TEST_F(MeshTest, UnequalMeshesOfRanksAreErrors) {
  if (comm_.size() == 1) return;
  if (is_last_rank()) mesh_.ratios = {{4, 4}};
  Writer writer = Writer::create(path("run.idx"), comm_, small_blocks()).value();
  (void)writer.def_field(writer.def_mesh("amr", mesh_).value(), "rho", SampleType::kFloat64).value();
  writer.begin_step(0).check();
  expect_everywhere(writer.end_step(), Code::kMismatchedCall);
}

}  // namespace
}  // namespace esker
