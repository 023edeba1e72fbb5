// Whole levels of meshes (format vtkhdf): what is written is read back bit for bit, by level and box, on
// other ranks and in other boxes, and the bytes of the files depend on the patches alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

#include "esker/esker.hpp"
#include "model/fill_value.h"
#include "support/mpi_fixture.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using testing_support::MpiTest;
using testing_support::points_of;
using testing_support::Random;

struct LevelPatch {
  int level = 0;
  Box box;
};

/// A mesh, and its patches at each of a few steps.
struct Case {
  Mesh mesh;
  std::vector<std::vector<LevelPatch>> steps;
};

/// Disjoint patches: some of the tiles of a level, cut at random. The coarsest level is covered.
void add_patches(const Mesh& mesh, int level, Random& random, std::vector<LevelPatch>& patches) {
  const Box domain = mesh.domain(level);
  Point tile{1, 1, 1, 1, 1}, tiles{1, 1, 1, 1, 1};
  for (int a = 0; a < domain.rank; ++a) {
    tile[a] = random.in(1, 9);
    tiles[a] = (domain.hi[a] + tile[a] - 1) / tile[a];
  }
  for (const Point& at : points_of(Box::from_extent(domain.rank, tiles))) {
    if (level > 0 && random.in(0, 3) > 0) continue;
    Box box = domain;
    for (int a = 0; a < domain.rank; ++a) {
      box.lo[a] = at[a] * tile[a];
      box.hi[a] = std::min(box.lo[a] + tile[a], domain.hi[a]);
    }
    patches.push_back({level, box});
  }
}

/// `any_ratios`: also such that an array of all levels cannot have.
Case make_case(int rank, unsigned seed, bool any_ratios = false) {
  Random random(seed);
  const std::vector<std::string> names{"x", "y", "z"};
  Case made;
  made.mesh.axes.assign(names.begin(), names.begin() + rank);
  const std::array<Index, 3> extents{40, 13, 7};
  for (int a = 0; a < rank; ++a) made.mesh.extent[a] = extents[static_cast<std::size_t>(rank == 3 ? 2 : a)];
  made.mesh.ratios = {{2, 2, 2, 1, 1}, {4, 2, 2, 1, 1}};
  if (any_ratios) made.mesh.ratios = {{3, 2, 2, 1, 1}, {2, 3, 5, 1, 1}};
  made.mesh.origin = {1, -2, 3};
  made.mesh.spacing = {0.5, 0.25, 2};
  for (int step = 0; step < 3; ++step) {
    auto& patches = made.steps.emplace_back();
    add_patches(made.mesh, 0, random, patches);
    if (step != 1) add_patches(made.mesh, 1, random, patches);  // a level that vanishes and returns
    add_patches(made.mesh, 2, random, patches);
  }
  return made;
}

struct FieldOfTest {
  std::string name;
  SampleType type;
  int components;
};

const std::vector<FieldOfTest> kFields{{"density", SampleType::kFloat64, 1},
                                       {"velocity", SampleType::kFloat32, 3},
                                       {"material", SampleType::kInt16, 1}};

double value_of(std::size_t field, Index step, int level, const Point& point, int component) {
  double value = static_cast<double>(field) * 7 + static_cast<double>(step) * 3 + level + 31 * component;
  for (const Index index : point) value = value * 1.25 + static_cast<double>(index % 100);
  return static_cast<double>(static_cast<std::int16_t>(static_cast<std::int64_t>(value * 8) % 30000));
}

void store(std::byte* at, SampleType type, double value) {
  const auto copy = [&](auto typed) { std::memcpy(at, &typed, sizeof(typed)); };
  if (type == SampleType::kFloat64) copy(value);
  if (type == SampleType::kFloat32) copy(static_cast<float>(value));
  if (type == SampleType::kInt16) copy(static_cast<std::int16_t>(value));
}

/// The memory of a patch, with a ghost cell around it.
struct Held {
  std::vector<std::byte> bytes;
  Patch patch;
};

Held hold(std::size_t f, Index step, const LevelPatch& of) {
  const FieldOfTest& field = kFields[f];
  const Index sample_bytes = size_bytes(field.type) * field.components;
  Held held;
  held.patch.box = of.box;
  held.patch.type = field.type;
  held.patch.component_stride_bytes = size_bytes(field.type);
  Index stride = sample_bytes, first = 0;
  for (int a = 0; a < of.box.rank; ++a) {
    held.patch.stride_bytes[static_cast<std::size_t>(a)] = stride;
    first += stride;
    stride *= of.box.extent(a) + 2;
  }
  held.bytes.resize(static_cast<std::size_t>(stride));
  held.patch.data = held.bytes.data() + first;
  for (const Point& point : points_of(of.box)) {
    Index at = first;
    for (int a = 0; a < of.box.rank; ++a) {
      at += (point[a] - of.box.lo[a]) * held.patch.stride_bytes[static_cast<std::size_t>(a)];
    }
    for (int c = 0; c < field.components; ++c) {
      store(held.bytes.data() + at + c * size_bytes(field.type), field.type,
            value_of(f, step, of.level, point, c));
    }
  }
  return held;
}

class LevelsTest : public MpiTest {
 protected:
  /// `holder_of`: the rank of patch n of a step.
  void write(const std::string& file, const Communicator& comm, const Case& of, const Options& options,
             const std::function<int(std::size_t)>& holder_of) {
    Writer writer = Writer::create(file, comm, options).value();
    const GridId grid = writer.def_mesh("amr", of.mesh).value();
    std::vector<FieldId> ids;
    for (const FieldOfTest& field : kFields) {
      ids.push_back(writer.def_field(grid, field.name, field.type, {.components = field.components}).value());
    }
    for (std::size_t step = 0; step < of.steps.size(); ++step) {
      writer.begin_step(static_cast<double>(step) / 2).check();
      std::vector<Held> memory;
      for (std::size_t f = 0; f < kFields.size(); ++f) {
        for (std::size_t n = 0; n < of.steps[step].size(); ++n) {
          if (holder_of(n) != comm.rank()) continue;
          memory.push_back(hold(f, static_cast<Index>(step), of.steps[step][n]));
          writer.put(ids[f], of.steps[step][n].level, memory.back().patch).check();
        }
      }
      writer.end_step().check();
    }
    writer.close().check();
  }

  /// The value that a level has at a point, where a patch covers it; or the finest level that does, in the
  /// indices of the finest level.
  static std::vector<std::byte> expected_at(const Case& of, std::size_t f, Index step,
                                            std::optional<int> level, const Point& point) {
    const FieldOfTest& field = kFields[f];
    Field of_type;
    of_type.type = field.type;
    const std::vector<std::byte> fill = fill_value(of_type);
    std::vector<std::byte> sample;
    for (int c = 0; c < field.components; ++c) sample.insert(sample.end(), fill.begin(), fill.end());
    for (int l = 0; l < of.mesh.num_levels(); ++l) {
      if (level && l != *level) continue;
      Point in_level = point;
      const Point ratio = of.mesh.ratio_to_finest(l);
      for (int a = 0; a < of.mesh.rank() && !level; ++a) in_level[a] /= ratio[a];
      for (const LevelPatch& patch : of.steps[static_cast<std::size_t>(step)]) {
        if (patch.level != l || !patch.box.contains(in_level)) continue;
        for (int c = 0; c < field.components; ++c) {
          store(sample.data() + c * size_bytes(field.type), field.type, value_of(f, step, l, in_level, c));
        }
      }
    }
    return sample;
  }

  static void expect_read(const Case& of, std::size_t f, Index step, std::optional<int> level, const Box& box,
                          const std::vector<std::byte>& found) {
    std::vector<std::byte> expected;
    for (const Point& point : points_of(box)) {
      const auto sample = expected_at(of, f, step, level, point);
      expected.insert(expected.end(), sample.begin(), sample.end());
    }
    ASSERT_TRUE(found == expected) << kFields[f].name << ", step " << step << ", level " << level.value_or(-1)
                                   << ", " << box.to_string();
  }

  /// Each rank reads other boxes.
  void read(const std::string& file, const Case& of, unsigned seed) {
    Options options;
    options.aggregate_reads = seed % 2 == 0;
    Reader reader = Reader::open(file, comm_, options).value();
    Random random(seed + 100 * static_cast<unsigned>(comm_.rank()));
    for (Index step = 0; step < std::ssize(of.steps); ++step) {
      std::vector<std::tuple<std::size_t, std::optional<int>, Box, std::vector<std::byte>>> asked;
      asked.reserve(20);
      for (std::size_t f = 0; f < kFields.size(); ++f) {
        for (int level = -1; level < of.mesh.num_levels(); ++level) {
          const std::optional<int> of_mesh = level < 0 ? std::nullopt : std::optional(level);
          const Box box = random.box_in(of.mesh.domain(level < 0 ? of.mesh.num_levels() - 1 : level));
          const Index bytes = box.num_samples() * size_bytes(kFields[f].type) * kFields[f].components;
          auto& [a, b, c, memory] =
              asked.emplace_back(f, of_mesh, box, std::vector<std::byte>(static_cast<std::size_t>(bytes)));
          if (random.in(0, 1) == 0) {
            Query query{.field = kFields[f].name, .step = step, .box = box};
            query.mesh_level = of_mesh;
            reader.request(query, memory.data(), memory.size()).check();
          } else {
            MutablePatch target{box, memory.data(), kFields[f].type, {}, size_bytes(kFields[f].type)};
            Index stride = size_bytes(kFields[f].type) * kFields[f].components;
            for (int axis = 0; axis < box.rank; ++axis) {
              target.stride_bytes[static_cast<std::size_t>(axis)] = stride;
              stride *= box.extent(axis);
            }
            reader.request(kFields[f].name, step, target, {}, MissingBlocks::kAuto, of_mesh).check();
          }
        }
      }
      reader.read().check();
      for (const auto& [f, level, box, memory] : asked) {
        ASSERT_NO_FATAL_FAILURE(expect_read(of, f, step, level, box, memory));
      }
    }
  }

  static std::map<std::string, std::string> contents_of(const std::string& directory) {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      all[std::filesystem::relative(entry.path(), directory).string()] = {
          std::istreambuf_iterator<char>(stream), {}};
    }
    return all;
  }
};

TEST_F(LevelsTest, AreReadBackInAnyBoxesAndHaveTheSameBytesOnAnyRanks) {
  for (int rank = 1; rank <= 3; ++rank) {
    for (const std::string format : {"vtkhdf", "vtkhdf+idx"}) {
      Case of = make_case(rank, static_cast<unsigned>(rank), format == "vtkhdf");
      if (format == "vtkhdf" && rank < 3) of.mesh.centering = Centering::kNodes;
      SCOPED_TRACE(fmt::format("{} axes, {}", rank, format));
      Options options;
      options.set("format", format).check();
      options.set("report", "none").check();
      if (rank == 2 && format == "vtkhdf+idx") options.set("compression", "zip").check();  // of the array
      const std::string many = path(fmt::format("many{}{}", rank, format)),
                        one = path(fmt::format("one{}{}", rank, format));
      write(many + "/run", comm_, of, options, [&](std::size_t n) {
        return static_cast<int>(n * 5 % 3 % static_cast<std::size_t>(comm_.size()));
      });
      if (comm_.rank() == 0) {
        write(one + "/run", Communicator::serial(), of, options, [](std::size_t) { return 0; });
        const auto of_many = contents_of(many), of_one = contents_of(one);
        EXPECT_EQ(of_many.size(), of_one.size());
        for (const auto& [name, bytes] : of_one) {
          EXPECT_TRUE(of_many.contains(name) && of_many.at(name) == bytes) << name;
        }
      }
      comm_.get()->barrier();
      for (const unsigned seed : {1U, 2U}) {
        ASSERT_NO_FATAL_FAILURE(read(many + "/run.vtkhdf.series", of, seed));
      }
    }
  }
}

// 90 binary digits for the indices of the finest level.
TEST_F(LevelsTest, MayHaveMoreIndicesThanAnArray) {
  Case of;
  of.mesh = {.axes = {"x", "y", "z"},
             .extent = {1000, 1000, 1000},
             .ratios = {{1024, 1024, 1024}, {1024, 1024, 1024}}};
  const Index far = 900 * 1024 * Index{1024};
  of.steps = {{{0, Box{{1, 2, 3}, {4, 5, 6}}},
               {0, Box{{999, 999, 999}, {1000, 1000, 1000}}},
               {1, Box{{1000000, 5, 7}, {1000004, 9, 10}}},
               {2, Box{{far, far, far}, {far + 5, far + 3, far + 4}}},
               {2, Box{{far + 5, far, far}, {far + 6, far + 3, far + 4}}}}};
  Options options;
  options.set("format", "vtkhdf").check();
  options.set("report", "none").check();
  write(path("huge"), comm_, of, options,
        [&](std::size_t n) { return static_cast<int>(n % static_cast<std::size_t>(comm_.size())); });
  const Dataset dataset = Dataset::open(path("huge.vtkhdf.series")).value();
  Reader reader = Reader::open(path("huge.vtkhdf.series"), comm_, Options()).value();
  EXPECT_EQ(dataset.patches("density", 0).value().size(), of.steps[0].size());
  for (const LevelPatch& patch : of.steps[0]) {
    Box around = patch.box;
    for (int a = 0; a < 3; ++a) around.lo[a] -= 1;
    std::vector<std::byte> found(static_cast<std::size_t>(around.num_samples() * 8));
    Query query{.field = "density", .step = 0, .box = around};
    query.mesh_level = patch.level;
    dataset.read(query, found.data(), found.size()).check();
    ASSERT_NO_FATAL_FAILURE(expect_read(of, 0, 0, patch.level, around, found));
    std::fill(found.begin(), found.end(), std::byte{0});
    if (comm_.rank() == comm_.size() - 1) reader.request(query, found.data(), found.size()).check();
    reader.read().check();
    if (comm_.rank() < comm_.size() - 1) continue;
    ASSERT_NO_FATAL_FAILURE(expect_read(of, 0, 0, patch.level, around, found));
  }
  Writer writer = Writer::create(path("huge.idx"), comm_, Options()).value();
  EXPECT_NE(writer.def_mesh("amr", of.mesh).status().message().find("format vtkhdf"), std::string::npos);
}

/// The number after the last "needs" of an error of the memory budget.
Index needed_of(const std::string& message) {
  const std::string before = "needs ";
  return std::stoll(message.substr(message.rfind(before) + before.size()));
}

// Each rank has the list of all patches.
TEST_F(LevelsTest, CountPatchListsInTheMemoryBudget) {
  constexpr Index kPatches = 3000;
  Case of;
  of.mesh = {.axes = {"x"}, .extent = {2 * kPatches}};
  auto& patches = of.steps.emplace_back();
  for (Index n = 0; n < kPatches; ++n) patches.push_back({0, Box{{2 * n}, {2 * n + 1}}});
  std::vector<std::string> errors;
  Options options;
  options.set("format", "vtkhdf").check();
  options.memory_budget_bytes = 100'000;
  while (errors.size() < 4) {
    try {
      write(path("run"), comm_, of, options,
            [&](std::size_t n) { return static_cast<int>(n % static_cast<std::size_t>(comm_.size())); });
      break;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kOutOfMemory) << error.what();
      errors.emplace_back(error.what());
      options.memory_budget_bytes = needed_of(errors.back());
    }
  }
  ASSERT_GE(errors.size(), 1U);
  ASSERT_LE(errors.size(), 3U) << errors.back();
  EXPECT_NE(errors[0].find("memory_budget 100000 bytes: the list of the 3000 patches of mesh 'amr'"),
            std::string::npos)
      << errors[0];
  EXPECT_GE(options.memory_budget_bytes, kPatches * 2 * static_cast<Index>(sizeof(MeshBox)));
  EXPECT_EQ(Dataset::open(path("run.vtkhdf.series")).value().patches("density", 0).value().size(),
            patches.size());
}

TEST_F(LevelsTest, KeepThePatchList) {
  const Case of = make_case(2, 5);
  Options options;
  options.set("format", "vtkhdf").check();
  write(path("run"), comm_, of, options,
        [&](std::size_t n) { return static_cast<int>(n % static_cast<std::size_t>(comm_.size())); });
  const Dataset dataset = Dataset::open(path("run.vtkhdf.series")).value();
  for (std::size_t step = 0; step < of.steps.size(); ++step) {
    const std::vector<MeshBox> patches = dataset.patches("density", static_cast<Index>(step)).value();
    EXPECT_EQ(patches.size(), of.steps[step].size());
    for (const LevelPatch& put : of.steps[step]) {
      EXPECT_NE(std::ranges::find(patches, MeshBox{put.level, put.box}), patches.end())
          << put.box.to_string();
    }
  }
}

}  // namespace
}  // namespace esker
