// Slabs: four ranks write a grid in slabs along its last axis, and rank 0 collects everything in messages.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/scenario.h"
#include "support/thread_comm.h"
#include "write/pipeline.h"

namespace esker::testing_support {

inline constexpr int kSlabRanks = 4;

/// Of one of the ranks.
inline Box slab_of(const Box& grid, int rank) {
  const int last = grid.rank - 1;
  Box slab = grid;
  slab.lo[last] = grid.hi[last] * rank / kSlabRanks;
  slab.hi[last] = grid.hi[last] * (rank + 1) / kSlabRanks;
  return slab;
}

struct Slabs {
  Schema schema;  ///< with one field
  Index num_steps = 1;
  int bits_per_block = 0;  ///< 0: chosen
  std::function<std::vector<KeepCall>(Index step)> keep = {};
  bool new_boxes_each_step = false;  ///< ranks exchange their slabs
  std::shared_ptr<Store> store = memory_store();
};

struct SlabsWritten {
  RunReport report;
  std::vector<StepReport> steps;
};

inline SlabsWritten write_slabs(const Slabs& slabs) {
  Options options;
  options.report = "none";
  options.aggregators = 1;
  options.transport = Transport::kMessages;
  options.bits_per_block = slabs.bits_per_block;
  SlabsWritten written;
  run_ranks(kSlabRanks, [&](const Communicator& comm) {
    auto pipeline = WritePipeline::create(comm.get(), slabs.store, "run", options).value();
    pipeline->define({}, slabs.schema).check();
    for (Index step = 0; step < slabs.num_steps; ++step) {
      const auto moved = static_cast<int>(slabs.new_boxes_each_step ? step : 0);
      const Box mine =
          slab_of(slabs.schema.box_of(slabs.schema.grids().front()), (comm.rank() + moved) % kSlabRanks);
      const PatchMemory memory(slabs.schema.fields().front(), 0, step, mine, 0u);
      StepInput input{{}, step, static_cast<double>(step), {}};
      input.patches = {{memory.patch()}};
      if (slabs.keep) input.keep = slabs.keep(step);
      pipeline->write_step(std::move(input)).check();
    }
    const RunReport report = pipeline->report().value();
    if (comm.rank() == 0) written = {report, pipeline->steps()};
  });
  return written;
}

/// The sum of an amount over the ranks.
inline Index sum_of(const RunReport& report, const std::string& amount) {
  for (const Spread& spread : report.counters.amounts) {
    if (spread.name == amount) return static_cast<Index>(std::llround(spread.mean * report.ranks));
  }
  ADD_FAILURE() << "no amount " << amount;
  return -1;
}

}  // namespace esker::testing_support
