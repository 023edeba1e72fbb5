// FilePattern: who stores what of a file that all writers share, by the options and the file system.
#pragma once

#include <string>

#include "comm/comm.h"
#include "esker/options.hpp"
#include "esker/status.hpp"
#include "format/format_writer.h"
#include "plan/piece_space.h"
#include "store/store.h"
#include "write/report.h"

namespace esker {

struct FilePattern {
  WritePattern pattern = WritePattern::kContiguous;  ///< not kAuto
  Striping striping;                                 ///< of the file system, as far as it is known
  /// Ranks that write, one for each target or for a whole number of them; 0: not decided by this.
  int writers = 0;
  /// Where nothing says how many ranks aggregate, no more write to the file: on fewer processors than ranks they
  /// would wait for each other. 0: as many as there is work for.
  int most_writers = 0;

  /// Stripes are those of the options, or what rank 0's file system says of new files beside `path`. With
  /// `auto` they decide if there is more than one target. Collective, the same on all ranks; errors are those
  /// of all ranks: kInvalidArgument (stripes that nobody knows the size of).
  static Result<FilePattern> choose(Comm& comm, const Store& store, const std::string& path,
                                    const Options& options);
  /// The same for `n_ranks` ranks, each with a processor, where the file system says `told`. Local, pure.
  static Result<FilePattern> of(const Striping& told, int n_ranks, const std::string& path,
                                const Options& options);

  /// Ranks that write what is in `space`.
  [[nodiscard]] int num_aggregators(const Options& options, int n_ranks, const PieceSpace& space) const;
  /// All but the step and its patches.
  [[nodiscard]] StepHints hints() const;
};

/// Without hints.
StorageReport describe(const FilePattern& pattern);

/// Writers for a file on `n_targets`: as many, or as many as divide them among at most `n_ranks`, so that no
/// two write to one target.
int writers_of_targets(int n_targets, int n_ranks);

}  // namespace esker
