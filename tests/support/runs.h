// Runs: whole write runs of a small dataset, on threads for ranks or on any communicator, and their check.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "esker/types/schema.hpp"
#include "store/store.h"
#include "support/scenario.h"
#include "write/pipeline.h"

namespace esker::testing_support {

/// How a run is carried out. Nothing of it may change the files but `schema`, the steps, `in_block` and
/// `checksums`.
struct RunPlan {
  int n_ranks = 1;
  Index first_step = 0;  ///< 0: a new dataset; else it goes on with one, from this step on
  bool append = false;   ///< goes on also from step 0 on
  Index end_step = 3;
  int aggregators = 0;
  Index memory_budget = Index{64} << 20;
  unsigned seed = 1;  ///< of decompositions, memory layouts and the order of puts
  bool new_boxes_each_step = false;
  bool shuffle_puts = false;
  InBlockOrder in_block = InBlockOrder::kRowMajor;
  bool checksums = true;
  bool aggregate = true;
  Transport transport = Transport::kAuto;
  int ranks_per_node = 0;  ///< of ranks that are threads; 0: all
  Restructure restructure{};
  int max_fan_in = 0;
  Fsync fsync = Fsync::kNone;
  bool single = false;  ///< single_schema() instead of mixed_schema()
  bool overwrite = false;
  std::string path = "run.idx";
  std::map<std::string, std::string> options = {};  ///< further ones, see ways_to_move()
};

/// Options with which samples travel from rank to rank in all the ways that there are: each transport, as
/// the option lists them, with threads that store, and relays.
std::vector<std::map<std::string, std::string>> ways_to_move();
/// Of these every other one where the ranks are so many that they share few cores; the last, relays, always.
std::vector<std::map<std::string, std::string>> ways_to_move(int n_ranks);
/// For messages: "transport=shared".
std::string text_of(const std::map<std::string, std::string>& options);

Schema schema_of(const RunPlan& run);
Options options_of(const RunPlan& run);

/// The time of a step.
inline double time_of(Index step) { return 10.0 * static_cast<double>(step); }

/// Opens the pipeline: created and defined, or appended and rewound.
Result<std::unique_ptr<WritePipeline>> open_run(const Communicator& comm, const std::shared_ptr<Store>& store,
                                                const RunPlan& run);

/// What this rank brings to a step, and the memory behind it. Local.
struct StepData {
  StepData(const Communicator& comm, const RunPlan& run, Index step);
  std::vector<PatchMemory> memory;
  StepInput input;
};

/// This rank's part of one step. Collective.
Status write_step(WritePipeline& pipeline, const Communicator& comm, const RunPlan& run, Index step);

/// This rank's part of the run. Collective.
Status write_on_rank(const Communicator& comm, const std::shared_ptr<Store>& store, const RunPlan& run);

/// All ranks, as threads. What they return has to be the same; it is returned. `store_of_rank` may put faults
/// between a rank and the store.
Status write_all(const std::shared_ptr<Store>& store, const RunPlan& run);
Status write_all(const std::function<std::shared_ptr<Store>(int rank)>& store_of_rank, const RunPlan& run);

/// Reads every field, step and level, whole and in a random box, and compares every sample; and verifies.
void expect_complete(const std::shared_ptr<Store>& store, const RunPlan& run, Index n_steps);

/// What verify finds, one text each, but for the lock of a writer that is at work.
std::vector<std::string> findings_of(const std::shared_ptr<Store>& store, const std::string& path);

/// Whether all files below `directory` have the same names and bytes in both stores, but for those of `store`
/// that end like `except`, if that is not empty.
void expect_same_files(Store& store, Store& expected, const std::string& directory,
                       const std::string& except = "");

}  // namespace esker::testing_support
