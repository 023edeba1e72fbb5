// plan_step: predicts messages, bytes and memory of writing a step on N ranks, without running on them.
//
//   const auto split = [](const esker::Grid&) {
//     return esker::BrickDecomposition::near_cubic(3, {512, 512, 512}, 4096);
//   };
//   std::cout << esker::plan_step(schema, 4096, split).value().to_string();
//
//   const auto keep = [](const esker::Grid&) {  // a step that stores a part of the grid only
//     return std::vector{esker::KeepRule::inside({flame}), esker::KeepRule::everywhere(-9)};
//   };
//   esker::plan_step(schema, 4096, split, options, {}, keep).value().samples.efficiency();
//
//   const auto patches = [&](int rank, const esker::Grid&) {  // a mesh with several levels
//     return std::vector<esker::MeshBox>{{0, coarse[rank]}, {1, fine[rank]}};
//   };
//   esker::plan_step(mesh_schema, 4096, patches, options).value().files;
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/dataset_info.hpp"
#include "esker/types/decomposition.hpp"
#include "esker/types/export.h"
#include "esker/types/keep.hpp"
#include "esker/types/mesh.hpp"
#include "esker/types/options.hpp"
#include "esker/types/plan_loads.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// Minimum, mean and maximum over the ranks.
struct ESKER_API OverRanks {
  Index min = 0, max = 0;
  double mean = 0;
};

/// Number of messages of a step with least_bytes ... 2 * least_bytes - 1 bytes.
struct ESKER_API MessageBin {
  Index least_bytes = 0;
  Index to_relays = 0;       ///< for restructured boxes and coarse levels
  Index to_aggregators = 0;  ///< in one-phase mode: parts of blocks that ranks write themselves
};

/// Messages of a step in partitions, and their bytes.
struct ESKER_API PartitionTraffic {
  int partitions = 0;  ///< 0: the step is not divided
  // Without the coarse part, which has separate rounds. Compressed pieces have none: these are all messages.
  OverRanks messages;                               ///< sent to other ranks
  OverRanks senders;                                ///< as PlanReport::senders
  OverRanks sent_bytes;                             ///< to other ranks
  OverRanks buffer_bytes;                           ///< as PlanReport::buffer_bytes
  Index crossing_messages = 0, crossing_bytes = 0;  ///< between ranks of two partitions
  Index coarse_messages = 0, coarse_bytes = 0;      ///< of the coarse part
};

/// What a step would move and need, and how evenly it is spread over the ranks.
struct ESKER_API PlanReport {
  int ranks = 0;
  int writers = 0;      ///< ranks that write
  int aggregators = 0;  ///< ranks that collect samples, including those that get none
  Index files = 0;
  Index blocks = 0;  ///< of all fields; for other formats, pieces of collective buffers
  /// Where most bytes are stored; 0 if the format has no blocks.
  int bits_per_block = 0;
  Index blocks_per_file = 0;
  Index data_bytes = 0;    ///< samples that are put; of meshes also those that finer patches cover
  Index stored_bytes = 0;  ///< data in files with padding, without headers
  Index rounds = 0;        ///< of exchange and store, maximum over the ranks
  OverRanks messages;      ///< sent to other ranks
  OverRanks senders;       ///< maximum number of ranks that send to a rank in one relay stage of a round
  OverRanks sent_bytes;    ///< to other ranks
  OverRanks written_bytes;
  OverRanks buffer_bytes;                 ///< memory that the exchange takes from the budget, with messages
  Index burst_bytes = 0;                  ///< mean sample bytes per aggregator, of blocks that are stored
  std::vector<MessageBin> message_sizes;  ///< ascending, without empty bins at the ends

  PartitionTraffic in_partitions;

  // Restructuring, for all grids together: non-empty boxes, samples per box volume, and ranks that receive
  // boxes.
  Index boxes = 0;
  double volume_ratio = 0;
  Index receivers = 0;

  /// Of all fields together, by the rules; 0 without rules. For Writer a field that stores all of its blocks
  /// has no secondary samples, here it has those that the rules do not keep.
  StoredSamples samples;
  double write_imbalance = 1;  ///< largest over mean bytes per aggregator

  /// By level, the patches of all meshes; empty if there is no mesh.
  std::vector<LevelCover> levels;

  /// What nodes and files get; empty unless plan_step() was told `ranks_per_node`.
  PlanLoads loads;

  /// Maximum number of ranks that send to one rank at a time.
  [[nodiscard]] Index max_fan_in() const { return senders.max; }
  /// Maximum over the ranks of the memory taken from the budget.
  [[nodiscard]] Index peak_bytes_per_rank() const { return buffer_bytes.max; }
  /// The report as a few lines of text.
  [[nodiscard]] std::string to_string() const;
};

/// Returns the boxes that a rank puts for the fields of `grid`.
using BoxesOfRank = std::function<std::vector<Box>(int rank, const Grid& grid)>;

/// Called a few times per second by the calling thread. If it returns false, planning ends with kCancelled.
/// Exceptions that it throws are passed on to the caller.
using GoesOn = std::function<bool()>;

/// Returns the rules for all fields of `grid`, of all ranks together: inside() and everywhere(). The other
/// rules look at samples, which a plan does not have. No rules: all samples, or what options.keep_level
/// keeps.
using KeepOfGrid = std::function<std::vector<KeepRule>(const Grid& grid)>;

/// Plans the first step of a new dataset exactly as Writer would, in any format, assuming that all fields are
/// put, stripes are as in the options, and x is the patches' fastest axis in memory. Local; writes nothing.
/// Time grows with the number of pairs of rank and stored piece, memory with the number of ranks (with
/// options.aggregate = false, with their contiguous runs) and of stored blocks, not with that of all blocks.
/// Errors: kInvalidArgument (definitions, boxes that do not cover each grid exactly once, a mesh, a rule that
/// looks at samples), kOutOfRange (a box outside its grid, a level that the grid does not have), kUnsupported
/// (a format that stores fields completely, `ranks_per_node` without aggregation), kOutOfMemory (memory
/// budget too small). `ranks_per_node` > 0: also PlanReport::loads, for a cost model of a machine.
ESKER_API Result<PlanReport> plan_step(const Schema& schema, int n_ranks, const BoxesOfRank& boxes,
                                       const Options& options = {}, const GoesOn& goes_on = {},
                                       const KeepOfGrid& keep = {}, int ranks_per_node = 0);

/// Returns the patches that a rank puts for the fields of `grid`: of a mesh with their levels, of another
/// grid boxes of level 0.
using PatchesOfRank = std::function<std::vector<MeshBox>(int rank, const Grid& grid)>;

/// The same for patches of meshes. Patches of a level must not overlap; they need not cover a level. `keep`
/// adds rules. Time and memory also follow the number of patches.
ESKER_API Result<PlanReport> plan_step(const Schema& schema, int n_ranks, const PatchesOfRank& patches,
                                       const Options& options = {}, const GoesOn& goes_on = {},
                                       const KeepOfGrid& keep = {}, int ranks_per_node = 0);

/// Returns how `grid` is split. Rank r holds part r; ranks beyond the last part hold nothing.
using SplitOfGrid = std::function<Result<BrickDecomposition>(const Grid& grid)>;

/// The same for Cartesian splits. Stores nothing per rank: planning a million ranks takes about a minute.
ESKER_API Result<PlanReport> plan_step(const Schema& schema, int n_ranks, const SplitOfGrid& split,
                                       const Options& options = {}, const GoesOn& goes_on = {},
                                       const KeepOfGrid& keep = {}, int ranks_per_node = 0);

}  // namespace esker
