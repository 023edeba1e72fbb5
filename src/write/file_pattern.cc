#include "write/file_pattern.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/count_processors.h"
#include "plan/step_cut.h"
#include "write/step_files.h"

namespace esker {
namespace {

// Ranks that write to one file wait for each other in the file system, and for a processor. With 16 ranks on two
// processors, 2 and 4 writers were equally fast, 16 took 1.4 times as long.
constexpr Index kWritersPerProcessor = 2;

}  // namespace

int writers_of_targets(int n_targets, int n_ranks) {
  int writers = std::min(n_targets, n_ranks);
  while (n_targets % writers != 0) --writers;
  return writers;
}

Result<FilePattern> FilePattern::choose(Comm& comm, const Store& store, const std::string& path,
                                        const Options& options) {
  std::array<std::uint64_t, 2> found{};
  ESKER_RETURN_IF_ERROR(root_does(comm, "stripes", [&] {
    const Striping told = store.striping(directory_of(path));
    found = {static_cast<std::uint64_t>(told.size_bytes), static_cast<std::uint64_t>(told.count)};
    return Status();
  }));
  comm.all_reduce_max(found);
  const Index writers = kWritersPerProcessor * count_processors(comm);
  ESKER_ASSIGN_OR_RETURN(
      FilePattern chosen,
      of({static_cast<Index>(found[0]), static_cast<int>(found[1])}, comm.size(), path, options));
  if (writers < comm.size()) chosen.most_writers = static_cast<int>(writers);
  return chosen;
}

Result<FilePattern> FilePattern::of(const Striping& told, int n_ranks, const std::string& path,
                                    const Options& options) {
  FilePattern chosen;
  chosen.striping.size_bytes = options.stripe_size_bytes > 0 ? options.stripe_size_bytes : told.size_bytes;
  chosen.striping.count = options.stripe_count > 0 ? options.stripe_count : told.count;
  chosen.pattern = options.pattern;
  if (options.pattern == WritePattern::kAuto) {
    const bool has_targets = chosen.striping.size_bytes > 0 && chosen.striping.count > 1;
    chosen.pattern = has_targets ? WritePattern::kStripes : WritePattern::kContiguous;
  }
  if (chosen.pattern != WritePattern::kStripes) return chosen;
  if (chosen.striping.size_bytes == 0) {
    return error(Code::kInvalidArgument,
                 "pattern=stripes: the file system of {} does not tell its stripes; set stripe_size, and "
                 "stripe_count if it is known",
                 path);
  }
  const int n_targets = chosen.striping.count;
  chosen.writers = asked_aggregators(options, n_ranks);
  if (chosen.writers > 0) return chosen;
  chosen.writers = n_targets > 0 ? writers_of_targets(n_targets, n_ranks) : n_ranks;
  return chosen;
}

int FilePattern::num_aggregators(const Options& options, int n_ranks, const PieceSpace& space) const {
  return writers > 0 ? writers : esker::num_aggregators(options, n_ranks, space);
}

StorageReport describe(const FilePattern& pattern) {
  StorageReport report;
  report.pattern = name(pattern.pattern);
  report.stripe_size_bytes = pattern.striping.size_bytes;
  report.stripe_count = pattern.striping.count;
  return report;
}

StepHints FilePattern::hints() const {
  StepHints hints;
  hints.pattern = pattern;
  hints.stripe_size_bytes = striping.size_bytes;
  hints.stripe_writers = std::max(1, writers);
  return hints;
}

}  // namespace esker
