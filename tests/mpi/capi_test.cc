// Files that are written through esker.h equal those written through esker.hpp.
#include <gtest/gtest.h>

#include "esker/esker.hpp"
#include "esker/esker_mpi.h"
#include "support/mpi_fixture.h"
#include "support/scenario.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario

constexpr Index kSteps = 3;

/// This rank's patches of a step of mixed_schema(), and the memory behind them.
std::vector<std::pair<int, std::unique_ptr<PatchMemory>>> patches_of(const Communicator& comm, Index step) {
  const Schema schema = mixed_schema();
  std::vector<std::pair<int, std::unique_ptr<PatchMemory>>> patches;
  for (int f = 0; f < static_cast<int>(schema.fields().size()); ++f) {
    const Field& field = schema.fields()[f];
    if (field.fixed ? step > 0 : step % field.every != 0) continue;
    Box box = schema.box_of(schema.grids()[field.grid]);
    const Index ny = box.hi[1];
    box.lo[1] = ny * comm.rank() / comm.size();
    box.hi[1] = ny * (comm.rank() + 1) / comm.size();
    patches.emplace_back(f, std::make_unique<PatchMemory>(field, f, step, box, static_cast<unsigned>(f + 2)));
  }
  return patches;
}

Options options() {
  Options options;
  options.bits_per_block = 7;
  options.blocks_per_file = 8;
  options.report = "none";
  return options;
}

void write_cpp(const std::string& path, const Communicator& comm) {
  auto writer = Writer::create(path, comm, options()).value();
  const Schema schema = mixed_schema();
  for (const Dimension& dim : schema.dims()) writer.def_dim(dim.name, dim.size).value();
  for (const Grid& grid : schema.grids()) {
    std::vector<DimId> dims;
    for (const int d : grid.dims) dims.push_back({d});
    writer.def_grid(grid.name, dims).value();
  }
  for (const Field& field : schema.fields()) {
    writer.def_field({field.grid}, field.name, field.type, {field.components, field.fixed, field.every})
        .value();
  }
  writer.def_coords({1}, "x", std::vector<double>(15, 0.5)).check();
  writer.put_att("title", std::string("both")).check();
  writer.put_att(GridId{0}, "cells", std::vector<Index>{1, 2}).check();
  writer.put_att(FieldId{0}, "range", std::vector<double>{0.1, 1e9}).check();
  for (Index step = 0; step < kSteps; ++step) {
    const auto patches = patches_of(comm, step);
    writer.begin_step(10.0 * static_cast<double>(step)).check();
    for (const auto& [field, memory] : patches) writer.put({field}, memory->patch()).check();
    writer.end_step().check();
  }
  writer.close().check();
}

void define_c(esker_dataset* ds) {
  const Schema schema = mixed_schema();
  int id = -1;
  for (const Dimension& dim : schema.dims()) esker_def_dim(ds, dim.name.c_str(), dim.size, &id);
  for (const Grid& grid : schema.grids()) {
    esker_def_grid(ds, grid.name.c_str(), static_cast<int>(grid.dims.size()), grid.dims.data(), &id);
  }
  for (const Field& field : schema.fields()) {
    esker_def_field(ds, field.grid, field.name.c_str(), static_cast<esker_type>(field.type), field.components,
                    field.fixed ? static_cast<int>(ESKER_FIXED) : field.every, &id);
  }
  const std::vector<double> xs(15, 0.5);
  const std::vector<double> range{0.1, 1e9};
  const std::vector<int64_t> cells{1, 2};
  esker_def_coords(ds, 1, 0, xs.data(), 15);
  esker_put_att_text(ds, ESKER_DATASET, 0, "title", "both");
  esker_put_att_int64(ds, ESKER_GRID, 0, "cells", cells.data(), 2);
  esker_put_att_double(ds, ESKER_FIELD, 0, "range", range.data(), 2);
}

void put_c(esker_dataset* ds, int field, const Patch& patch) {
  const Point extent = patch.box.extents();
  EXPECT_EQ(
      esker_put_strided(ds, field, static_cast<esker_type>(patch.type), patch.box.lo.data(), extent.data(),
                        patch.data, patch.stride_bytes.data(), patch.component_stride_bytes),
      ESKER_OK)
      << esker_message(ds);
}

/// Made with options(), nothing defined.
esker_dataset* create_c(const std::string& path) {
  esker_comm* group = nullptr;
  esker_options* chosen = nullptr;
  esker_dataset* ds = nullptr;
  EXPECT_EQ(esker_comm_from_mpi(MPI_COMM_WORLD, &group), ESKER_OK);
  EXPECT_EQ(esker_options_new(&chosen), ESKER_OK);
  for (const Options::Entry& entry : options().entries()) {
    EXPECT_EQ(esker_options_set(chosen, entry.name.c_str(), entry.value.c_str()), ESKER_OK)
        << esker_options_message(chosen);
  }
  EXPECT_EQ(esker_create(path.c_str(), group, chosen, &ds), ESKER_OK) << esker_message(ds);
  esker_options_free(chosen);  // a dataset keeps what it needs
  esker_comm_free(group);
  return ds;
}

void write_c(const std::string& path, const Communicator& comm) {
  esker_dataset* ds = create_c(path);
  define_c(ds);
  for (Index step = 0; step < kSteps; ++step) {
    const auto patches = patches_of(comm, step);
    EXPECT_EQ(esker_begin_step(ds, 10.0 * static_cast<double>(step)), ESKER_OK);
    for (const auto& [field, memory] : patches) put_c(ds, field, memory->patch());
    EXPECT_EQ(esker_end_step(ds), ESKER_OK) << esker_message(ds);
  }
  EXPECT_EQ(esker_close(ds), ESKER_OK) << esker_message(ds);
  esker_free(ds);
}

using CInterface = MpiTest;

TEST_F(CInterface, WritesTheBytesOfTheCppInterface) {
  write_cpp(path("cpp/run.idx"), comm_);
  write_c(path("c/run.idx"), comm_);
  if (comm_.rank() != 0) return;
  const auto store = posix_store();
  const auto expected = all_files(*store, path("cpp"));
  const auto found = all_files(*store, path("c"));
  ASSERT_GT(expected.size(), 10u);
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, bytes] : expected) {
    const auto same = found.find(path("c") + name.substr(path("cpp").size()));
    ASSERT_NE(same, found.end()) << name;
    EXPECT_TRUE(same->second == bytes) << name;
  }
}

// For example if one rank inquires through Fortran, or if a model in C calls a library in Fortran.
TEST_F(CInterface, CountsFromTheNumberOfTheHandle) {
  esker_dataset* from_0 = create_c(path("from_0.idx"));
  esker_dataset* mixed = create_c(path("mixed.idx"));
  const int first = comm_.rank() == 0 ? 1 : 0;
  esker_count_from(mixed, first);
  for (esker_dataset* ds : {from_0, mixed}) define_c(ds);
  for (Index step = 0; step < 2; ++step) {
    const auto patches = patches_of(comm_, step);
    for (esker_dataset* ds : {mixed, from_0}) {
      EXPECT_EQ(esker_begin_step(ds, static_cast<double>(step)), ESKER_OK) << esker_message(ds);
      for (const auto& [field, memory] : patches) put_c(ds, field, memory->patch());
      EXPECT_EQ(esker_end_step(ds), ESKER_OK) << esker_message(ds);
    }
  }
  const Index lo[kMaxRank] = {}, extent[kMaxRank] = {1000, 1, 1, 1, 1};
  for (esker_dataset* ds : {mixed, from_0}) {
    const bool from_1 = ds == mixed && first == 1;
    EXPECT_EQ(esker_begin_step(ds, 2), ESKER_OK);
    EXPECT_NE(esker_put(ds, 99, ESKER_FLOAT32, lo, extent, nullptr), ESKER_OK);
    const std::string number = esker_message(ds);
    EXPECT_NE(number.find(from_1 ? "the number 100;" : "the number 99;"), std::string::npos) << number;
    EXPECT_NE(esker_begin_step(ds, 3), ESKER_OK);
    const std::string step = esker_message(ds);
    EXPECT_NE(step.find(from_1 ? "step 3 is" : "step 2 is"), std::string::npos) << step;
    EXPECT_EQ(esker_end_step(ds), ESKER_OUT_OF_RANGE);
    EXPECT_EQ(esker_close(ds), ESKER_OK) << esker_message(ds);
    esker_free(ds);
  }
  EXPECT_EQ(Box({0}, {3}).to_string(), "[0,3)");
}

}  // namespace
}  // namespace esker
