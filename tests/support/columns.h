// Columns: patches whose last axis is the fastest in memory, on a grid whose planes are larger than tiles.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "esker/types/decomposition.hpp"
#include "support/find_devices.h"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "write/pipeline.h"

namespace esker::testing_support {

/// The file "run.nc" of one step of 90 x 70 x 20 points, on at most four columns of ranks, with z or x
/// fastest in memory.
inline std::string file_of_columns(int n_ranks, bool columns,
                                   const std::map<std::string, std::string>& options) {
  const Box grid({0, 0, 0}, {90, 70, 20});
  Schema schema;
  std::vector<DimId> dims;
  for (int a = 0; a < 3; ++a) dims.push_back(schema.add_dim(std::string(1, "xyz"[a]), grid.hi[a]).value());
  const int volume = schema.add_grid("xyz", dims).value().index;
  schema.add_field({"temp", volume, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  schema.add_field({"density", volume, SampleType::kFloat32, 1, false, 1, {}}).status().check();
  schema.add_field({"depth", volume, SampleType::kFloat64, 1, true, 1, {}}).status().check();
  const auto parts = BrickDecomposition::near_cubic(2, grid.hi, n_ranks).value();
  const auto store = memory_store();
  run_ranks(n_ranks, [&](const Communicator& comm) {
    Options used;
    for (const auto& [name, value] : options) used.set(name, value).check();
    used.report = "none";
    const auto pipeline = WritePipeline::create(comm.get(), store, "run.nc", used).value();
    pipeline->define({}, schema).check();
    Box box = parts.box(comm.rank());
    box.rank = 3;
    box.hi[2] = grid.hi[2];
    StepInput input;
    std::vector<std::unique_ptr<PatchMemory>> memory;
    for (int f = 0; f < 3; ++f) {
      const Field& field = schema.fields()[static_cast<std::size_t>(f)];
      memory.push_back(std::make_unique<PatchMemory>(field, f, 0, box, columns ? 1u : 0u));
      input.patches.push_back({memory.back()->patch()});
    }
    find_devices(*pipeline, input);
    pipeline->write_step(std::move(input)).check();
    pipeline->close({}).check();
  });
  return all_files(*store, ".").at("run.nc");
}

}  // namespace esker::testing_support
