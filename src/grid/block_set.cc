#include "grid/block_set.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace esker {
namespace {

constexpr Index kMostListed = Index{1} << 15;  // 256 KiB

}  // namespace

void append_run(BlockRuns& runs, const BlockRun& run) {
  if (run.first == run.last) return;
  if (!runs.empty() && run.first <= runs.back().last) {
    runs.back().last = std::max(runs.back().last, run.last);
  } else {
    runs.push_back(run);
  }
}

BlockRuns normalized(BlockRuns runs) {
  const auto before = [](const BlockRun& a, const BlockRun& b) { return a.first < b.first; };
  if (!std::is_sorted(runs.begin(), runs.end(), before)) std::sort(runs.begin(), runs.end(), before);
  BlockRuns joined;
  for (const BlockRun& run : runs) append_run(joined, run);
  return joined;
}

BlockRuns unite(std::span<const BlockRun> a, std::span<const BlockRun> b) {
  BlockRuns runs;
  while (!a.empty() || !b.empty()) {
    auto& next = b.empty() || (!a.empty() && a.front().first <= b.front().first) ? a : b;
    append_run(runs, next.front());
    next = next.subspan(1);
  }
  return runs;
}

BlockRuns blocks_up_to(const BlockGrid& grid, int level) {
  BlockRuns runs;
  if (level < grid.coarsest_level()) return runs;
  const BlockGrid::Existing finest = grid.existing_at(std::min(level, grid.mask().max_level()));
  append_run(runs, {0, finest.before + finest.count});
  return runs;
}

BlockSet::BlockSet(const BlockGrid& grid, BlockRuns runs) : grid_(grid), runs_(std::move(runs)) {
  for (const BlockRun& run : runs_) {
    assert(run.first < run.last && run.last <= grid.num_existing());
    size_before_.push_back(size_);
    size_ += run.last - run.first;
  }
  if (size_ > kMostListed) return;
  std::vector<Index> blocks;
  blocks.reserve(static_cast<std::size_t>(size_));
  for_each(0, size_, [&](Index block) { blocks.push_back(block); });
  listed_ = std::move(blocks);
}

/// Ordinals of the set below `ordinal`.
Index BlockSet::num_ordinals_before(Index ordinal) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), ordinal,
                                      [](Index o, const BlockRun& run) { return o < run.first; });
  if (after == runs_.begin()) return 0;
  const auto run = static_cast<std::size_t>(after - runs_.begin()) - 1;
  return size_before_[run] + std::min(ordinal, runs_[run].last) - runs_[run].first;
}

bool BlockSet::has_ordinal(Index ordinal) const {
  const auto run =
      std::partition_point(runs_.begin(), runs_.end(), [&](const BlockRun& r) { return r.last <= ordinal; });
  return run != runs_.end() && run->first <= ordinal;
}

BlockRun BlockSet::ordinals_from(Index number) const {
  assert(0 <= number && number < size_);
  if (is_all_) return {number, size_};
  const auto run = static_cast<std::size_t>(
      std::upper_bound(size_before_.begin(), size_before_.end(), number) - size_before_.begin() - 1);
  return {runs_[run].first + number - size_before_[run], runs_[run].last};
}

bool BlockSet::contains(Index block) const {
  if (is_listed()) return std::binary_search(listed_.begin(), listed_.end(), block);
  if (!grid_.exists(block)) return false;
  return is_all_ || has_ordinal(grid_.num_existing_before(block));
}

Index BlockSet::num_before(Index block) const {
  if (is_listed()) return std::lower_bound(listed_.begin(), listed_.end(), block) - listed_.begin();
  const Index ordinal = grid_.num_existing_before(block);
  return is_all_ ? ordinal : num_ordinals_before(ordinal);
}

void BlockSet::for_each_block_meeting(const Box& box, int level,
                                      const std::function<void(Index)>& visit) const {
  if (is_all_) return grid_.for_each_block_meeting(box, level, visit);
  const auto has_any = [this](Index first, Index last) {
    const auto run =
        std::partition_point(runs_.begin(), runs_.end(), [&](const BlockRun& r) { return r.last <= first; });
    return run != runs_.end() && run->first < last;
  };
  grid_.for_each_block_meeting(box, level, has_any, visit);
}

Index BlockSet::num_samples() const {
  if (is_all_) return grid_.box().num_samples();
  Index samples = 0;
  for (const BlockRun& run : runs_) {
    const Index first = grid_.nth_existing(run.first);
    if (run.last == run.first + 1) {  // often; this is faster
      samples += grid_.lattice(first).indices_in(grid_.box()).num_samples();
    } else {
      const Index end = grid_.nth_existing(run.last - 1) + 1;
      samples += grid_.num_samples_before(end) - grid_.num_samples_before(first);
    }
  }
  return samples;
}

}  // namespace esker
