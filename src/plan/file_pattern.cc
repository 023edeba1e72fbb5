#include "plan/file_pattern.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "plan/step_cut.h"

namespace esker {

int writers_of_targets(int n_targets, int n_ranks) {
  int writers = std::min(n_targets, n_ranks);
  while (n_targets % writers != 0) --writers;
  return writers;
}

Result<FilePattern> FilePattern::of(const Stripes& reported, int n_ranks, const std::string& path,
                                    const Options& options) {
  FilePattern chosen;
  chosen.stripes.size_bytes = options.stripe_size_bytes > 0 ? options.stripe_size_bytes : reported.size_bytes;
  chosen.stripes.count = options.stripe_count > 0 ? options.stripe_count : reported.count;
  chosen.pattern = options.pattern;
  if (options.pattern == WritePattern::kAuto) {
    const bool has_targets = chosen.stripes.size_bytes > 0 && chosen.stripes.count > 1;
    chosen.pattern = has_targets ? WritePattern::kStripes : WritePattern::kContiguous;
  }
  if (chosen.pattern != WritePattern::kStripes) return chosen;
  if (chosen.stripes.size_bytes == 0) {
    return error(Code::kInvalidArgument,
                 "pattern=stripes: the file system of {} does not report its stripes; set stripe_size, and "
                 "stripe_count if it is known",
                 path);
  }
  const int n_targets = chosen.stripes.count;
  chosen.writers = asked_aggregators(options, n_ranks);
  if (chosen.writers > 0) return chosen;
  chosen.writers = n_targets > 0 ? writers_of_targets(n_targets, n_ranks) : n_ranks;
  return chosen;
}

bool FilePattern::sets_domains(const StepLayouts& layouts, const PieceSpace& space) const {
  return pattern != WritePattern::kContiguous && layouts.shares_a_file() && space.num_pieces() > 0;
}

void follow_pattern(const FilePattern& pattern, const StepLayouts& layouts, const PieceSpace& space,
                    int n_ranks, ExchangePolicy& policy) {
  policy.in_file_order = layouts.compresses();
  if (layouts.are_of_partitions()) policy.partitions = 0;
  if (policy.partitions > 1 && !policy.packs) {
    use_packed_messages(policy, "messages between partitions are packed");
  }
  policy.domains_of_layout =
      policy.aggregate && !policy.in_file_order && pattern.sets_domains(layouts, space);
  if (policy.domains_of_layout && pattern.writers > 0) policy.aggregators = pattern.writers;
  if (pattern.most_writers == 0 || policy.aggregators > 0 || !layouts.shares_a_file()) return;
  policy.aggregators = std::min(pattern.most_writers, num_aggregators(policy, n_ranks, space));
}

Status check_phases(const Options& options, const StepLayouts& layouts) {
  const bool aggregate = options.aggregate.value_or(true);
  if (!aggregate && layouts.compresses()) {
    return error(Code::kInvalidArgument,
                 "aggregate=false: a rank that has only a part of a block cannot compress it; set "
                 "compression=none");
  }
  const auto has_blocks = [](const auto& layout) { return layout->block_grid() != nullptr; };
  const bool may_divide = layouts.are_of_partitions() || std::ranges::all_of(layouts.layouts, has_blocks);
  if (options.partitions.number > 0 && !may_divide) {
    return error(
        Code::kInvalidArgument,
        "partitions={}: only blocks of IDX have partitions; set format=idx or partitions=0, or store one "
        "NetCDF-4 file for each: format=netcdf4 and partition_index=local",
        options.partitions.number);
  }
  for (const auto& layout : layouts.layouts) {
    const OwnPartition* own = layout->own_partition();
    if (!own || options.partitions.number == 0) continue;
    if (own->cut->num_partitions() == options.partitions.number) continue;
    return error(Code::kInvalidArgument,
                 "partitions={}: the dataset has {} local partitions; set partitions={}, or 0 to write them "
                 "without dividing the ranks",
                 options.partitions.number, own->cut->num_partitions(), own->cut->num_partitions());
  }
  if (!aggregate && layouts.has_heads()) {
    return error(
        Code::kInvalidArgument,
        "aggregate=false: a rank that has only a part of a block cannot arrange its bits; write fields "
        "with stored_bits with aggregate=true");
  }
  if (!aggregate && options.partial) {
    return error(Code::kInvalidArgument,
                 "aggregate=false: no rank has a complete block to put fill values in; partial=true needs "
                 "aggregate=true");
  }
  if (options.partial && layouts.has_heads()) {
    return error(Code::kInvalidArgument,
                 "partial=true: cells of fields with stored_bits are coded from all of their samples");
  }
  if (aggregate || !layouts.has_checksums()) return {};
  return error(Code::kInvalidArgument,
               "aggregate=false: a rank that has only a part of a block cannot compute its checksum; set "
               "checksums=false");
}

StepHints FilePattern::hints() const {
  StepHints hints;
  hints.pattern = pattern;
  hints.stripe_size_bytes = stripes.size_bytes;
  hints.stripe_writers = std::max(1, writers);
  return hints;
}

}  // namespace esker
