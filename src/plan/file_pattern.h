// FilePattern: which writer stores what of a file that all writers share, by the options and the file system.
#pragma once

#include <string>
#include <vector>

#include "esker/decomposition.hpp"
#include "esker/options.hpp"
#include "esker/status.hpp"
#include "layout/step_layouts.h"
#include "plan/piece_space.h"
#include "plan/policy.h"

namespace esker {

struct FilePattern {
  /// Stripes of a file system: Lustre's objects, or the like.
  struct Stripes {
    Index size_bytes = 0;  ///< 0: not known
    int count = 0;
  };

  WritePattern pattern = WritePattern::kContiguous;  ///< not kAuto
  Stripes stripes;                                   ///< as far as they are known
  /// Ranks that write, one for each target or for a whole number of them; 0: not decided by this.
  int writers = 0;
  /// Where nothing says how many ranks aggregate, no more write to the file: on fewer processors than ranks
  /// they would wait for each other. 0: as many as there is work for.
  int most_writers = 0;

  /// For `n_ranks` ranks, each with a processor, where the file system of `path` tells `told`. With `auto`,
  /// stripes decide if there is more than one target. Local, pure. kInvalidArgument: stripes of unknown size.
  static Result<FilePattern> of(const Stripes& told, int n_ranks, const std::string& path,
                                const Options& options);

  /// Whether the file domains of writers are those of the pattern: stripes, or slabs. Local, pure.
  [[nodiscard]] bool sets_domains(const StepLayouts& layouts, const PieceSpace& space) const;
  /// All but the step and its patches.
  [[nodiscard]] StepHints hints() const;
};

/// Takes over what the pattern says of who writes a step: the file domains, and how many ranks write. Local,
/// pure.
void follow_pattern(const FilePattern& pattern, const StepLayouts& layouts, const PieceSpace& space, int n_ranks,
                    ExchangePolicy& policy);

/// kInvalidArgument if options contradict each other, or one-phase writing cannot do what `layouts` need.
Status check_phases(const Options& options, const StepLayouts& layouts);

/// Writers for a file on `n_targets`: as many, or as many as divide them among at most `n_ranks`, so that no
/// two write to one target.
int writers_of_targets(int n_targets, int n_ranks);

}  // namespace esker
