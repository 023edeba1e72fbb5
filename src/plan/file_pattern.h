// FilePattern: the parts of a shared file that each writer stores, by the options and the file system.
#pragma once

#include <string>
#include <vector>

#include "esker/types/decomposition.hpp"
#include "esker/types/options.hpp"
#include "esker/types/status.hpp"
#include "layout/step_layouts.h"
#include "plan/piece_space.h"
#include "plan/policy.h"

namespace esker {

struct FilePattern {
  /// The stripes of a file system (for example Lustre's objects).
  struct Stripes {
    Index size_bytes = 0;  ///< 0: unknown
    int count = 0;
  };

  WritePattern pattern = WritePattern::kContiguous;  ///< not kAuto
  Stripes stripes;                                   ///< as far as they are known
  /// Ranks that write: one per target, or one per fixed number of targets; 0: the pattern does not decide.
  int writers = 0;
  /// An upper limit on the ranks that write where nothing else sets the number of aggregators: on fewer
  /// processors than ranks they would wait for each other. 0: no limit.
  int most_writers = 0;

  /// For `n_ranks` ranks, each with a processor, where the file system of `path` reports `reported`. With
  /// `auto`, stripes decide if there is more than one target. Local, pure. kInvalidArgument: stripes of
  /// unknown size.
  static Result<FilePattern> of(const Stripes& reported, int n_ranks, const std::string& path,
                                const Options& options);

  /// Whether the pattern sets the file domains of the writers: stripes or slabs. Local, pure.
  [[nodiscard]] bool sets_domains(const StepLayouts& layouts, const PieceSpace& space) const;
  /// All hints except the step and its patches.
  [[nodiscard]] StepHints hints() const;
};

/// Copies the pattern's choices to the policy: the file domains and the number of ranks that write; and what
/// the layouts ask for whatever the pattern: compressed pieces are stored in file order, and messages between
/// partitions are packed. Local, pure.
void follow_pattern(const FilePattern& pattern, const StepLayouts& layouts, const PieceSpace& space,
                    int n_ranks, ExchangePolicy& policy);

/// kInvalidArgument if options contradict each other, or if one-phase writing does not support `layouts`.
Status check_phases(const Options& options, const StepLayouts& layouts);

/// The number of writers for a file on `n_targets` targets: one per target, or a divisor of `n_targets` that
/// is at most `n_ranks`, so that no two ranks write to one target.
int writers_of_targets(int n_targets, int n_ranks);

}  // namespace esker
