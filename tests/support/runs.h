// Runs: complete runs that write a small dataset, on threads as ranks or on any communicator, and their
// checks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "esker/types/schema.hpp"
#include "store/store.h"
#include "support/find_devices.h"
#include "support/scenario.h"
#include "write/keep_call.h"
#include "write/pipeline.h"

namespace esker::testing_support {

/// The parameters of a run. Only `schema`, the steps, `in_block` and `checksums` may change the files.
struct RunPlan {
  int n_ranks = 1;
  Index first_step = 0;  ///< 0: a new dataset; otherwise the run continues one from this step on
  bool append = false;   ///< continues a dataset also if first_step is 0
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
  bool single = false;                ///< single_schema() instead of mixed_schema()
  std::optional<Schema> schema = {};  ///< instead of either
  bool overwrite = false;
  std::string path = "run.idx";
  std::map<std::string, std::string> options = {};  ///< further ones, see ways_to_move()
  /// The rules of a rank at a step, which may refer to its patches; null: dense steps.
  std::function<std::vector<KeepCall>(Index step, int rank, const StepInput& input)> keep = {};
};

/// RunPlan::keep for single_schema(): a coarse step with regions that change, and are dilated across
/// ranks, and a box that rank 0 alone names.
std::vector<KeepCall> keep_some_blocks(Index step, int rank, const StepInput& input);

/// Places the ranks of a run in `partitions` partitions on nodes of `per_node` ranks; 0: on one node. Each
/// rank aggregates if it has a node for itself; with three on a node memory is short.
void place(RunPlan& run, int n_ranks, int per_node, int partitions);

/// A volume, a plane and a line with these extents: fields that are fixed, absent at some steps, or split.
Schema volume_plane_and_line(const Point& extents);

/// A run of as many ranks as partitions, with small blocks. `index`: the option partition_index.
RunPlan partitioned_run(const Schema& schema, int partitions, const char* index);

/// The files of a run, which succeeds.
std::shared_ptr<Store> written(const RunPlan& run);

/// Options for all ways to move samples between ranks: each transport that the option lists, threads that
/// store, also after the step, and relays.
std::vector<std::map<std::string, std::string>> ways_to_move();
/// Every other one of these if many ranks share few cores; always the last, relays.
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

/// The patches of this rank in a step, and their memory. Local.
struct StepData {
  StepData(const Communicator& comm, const RunPlan& run, Index step);
  std::vector<PatchMemory> memory;
  StepInput input;

 private:
  void put_on_mesh(const Communicator& comm, const Schema& schema, std::size_t f, unsigned seed);
};

/// This rank's part of one step. Collective.
Status write_step(WritePipeline& pipeline, const Communicator& comm, const RunPlan& run, Index step);
/// The same for a step that is committed when this returns, whatever the option `async` says.
Status commit_step(WritePipeline& pipeline, const Communicator& comm, const RunPlan& run, Index step);
Status commit_step(WritePipeline& pipeline, StepData& data);

/// This rank's part of the run. Collective.
Status write_on_rank(const Communicator& comm, const std::shared_ptr<Store>& store, const RunPlan& run);

/// Runs all ranks as threads. Returns their status, which must be the same. `store_of_rank` may inject faults
/// between a rank and the store.
Status write_all(const std::shared_ptr<Store>& store, const RunPlan& run);
Status write_all(const std::function<std::shared_ptr<Store>(int rank)>& store_of_rank, const RunPlan& run);

/// Reads every field, step and level, whole and in a random box, and compares every sample; and verifies.
void expect_complete(const std::shared_ptr<Store>& store, const RunPlan& run, Index n_steps);

/// The findings of verify, one text each, except the lock of an active writer.
std::vector<std::string> findings_of(const std::shared_ptr<Store>& store, const std::string& path);

/// Whether all files below `directory` have the same names and bytes in both stores, except those of `store`
/// that end like `except`, if that is not empty.
void expect_same_files(Store& store, Store& expected, const std::string& directory,
                       const std::string& except = "");

}  // namespace esker::testing_support
