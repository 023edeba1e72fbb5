// StepReport: what one committed step cost.
#pragma once

#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/dataset_info.hpp"
#include "esker/types/export.h"

namespace esker {

/// What one committed step cost; the same on all ranks.
struct ESKER_API StepReport {
  Index step = 0;          ///< position in the dataset
  double time = 0;         ///< the model's time value
  Index data_bytes = 0;    ///< bytes of samples that were put
  Index stored_bytes = 0;  ///< block data in files, including padding
  double seconds = 0;      ///< time in end_step on the slowest rank
  int writers = 0;         ///< ranks that wrote
  Index files = 0;         ///< files written
  // Overhead other than moving and storing samples, maximum over the ranks. A step in which all ranks put the
  // boxes of an earlier step needs only the agreements and the checksum messages.
  bool planned = false;         ///< a new plan was made: some rank's boxes or the due fields changed
  double plan_s = 0;            ///< seconds spent on planning
  Index allocated_bytes = 0;    ///< for sample buffers
  Index metadata_messages = 0;  ///< messages for planning; a collective call counts as one
  Index metadata_bytes = 0;     ///< sent by a rank in these messages
  Index checksum_messages = 0;  ///< sent to the ranks that write block tables of shared files
  int agreements = 0;           ///< small collective calls, the same number on all ranks
  // Of sparse steps (Writer::keep), in samples: `fields` of those that store some blocks only.
  struct FieldSamples {
    std::string name;
    StoredSamples samples;
  };
  std::vector<FieldSamples> fields = {};
  Index primary_bytes = 0, secondary_bytes = 0, padding_bytes = 0;  ///< of all fields; 0 in dense steps
  int raised_from = 0;         ///< the coarsest level that was asked for, if block 0 is finer; else 0
  double write_imbalance = 0;  ///< largest over mean bytes per aggregator
  double put_imbalance = 0;    ///< likewise, of the bytes that ranks contribute to stored blocks
  // Of steps in partitions (Options::partitions), sums over the ranks. With shared memory, copies to a rank
  // of the same node count as messages.
  int partitions = 0;                               ///< 0: the step is not divided
  Index crossing_messages = 0, crossing_bytes = 0;  ///< between partitions, without the coarse part
  Index coarse_messages = 0, coarse_bytes = 0;      ///< of blocks that lie in several tiles
  /// "step 3 time 150: 173.2 MB in 0.31 s, 0.56 GB/s, 4 writers, 16 files"
  [[nodiscard]] std::string to_string() const;
};

}  // namespace esker
