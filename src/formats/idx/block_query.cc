#include "formats/idx/block_query.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <span>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/scratch.h"
#include "read/block_cache.h"

namespace esker::idx {
namespace {

constexpr Index kLocalTaskBytes = Index{1} << 20, kRemoteTaskBytes = Index{4} << 20;  // decoded
constexpr Index kMostDecodedBytes = Index{256} << 20;  // of all threads, unless one block has more
constexpr Index kBytesPerThread = Index{1} << 20;      // less work is done before a thread has started

/// Place in the order of the tree: each block before those that refine it.
struct InTreeOrder {
  int num_digits;  // of the highest block number
  int brick_digits;

  bool operator()(Index a, Index b) const {
    const Index first_a = leftmost_leaf(a), first_b = leftmost_leaf(b);
    return first_a != first_b ? first_a < first_b : a < b;
  }
  /// Blocks 2b and 2b + 1 refine block b.
  [[nodiscard]] Index leftmost_leaf(Index block) const {
    if (block < Index{1} << brick_digits) return block << (num_digits - brick_digits);
    const Index along = block - static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(block)));
    return along << (num_digits + 1 - std::bit_width(static_cast<std::uint64_t>(block)));
  }
};

}  // namespace

/// The work of a thread on a task, and its memory.
class BlockQuery::TaskWorker {
 public:
  explicit TaskWorker(BlockQuery& query)
      : query_(query), column_(query.column_), form_(query.column_.form), target_(query.target_) {}

  Status run(std::span<const Index> blocks) {
    items_.clear();
    files_.clear();
    for (const Index block : blocks) {
      ESKER_RETURN_IF_ERROR(find(block).with_context(path_of(block)));
      if (files_.size() == kMaxFiles) ESKER_RETURN_IF_ERROR(read_items());
    }
    return read_items();
  }

 private:
  static constexpr std::size_t kMaxFiles = 16;  // that one thread keeps open while it looks for more blocks

  /// Reads the recorded items.
  Status read_items() {
    std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
      return a.file() != b.file() ? a.file() < b.file() : a.offset_bytes < b.offset_bytes;
    });
    for (std::size_t first = 0, last = 0; first < items_.size(); first = last) {
      last = end_of_run(first);
      ESKER_RETURN_IF_ERROR(read_run(std::span(items_).subspan(first, last - first)));
    }
    items_.clear();
    files_.clear();
    return {};
  }

  /// Bytes of a block to read.
  struct Item {
    Index block = 0;
    StoredBlock stored;
    Index offset_bytes = 0, size_bytes = 0;
    bool is_whole = false;  // or as much of it as an encoded block needs

    [[nodiscard]] const BlockFile* file() const { return stored.file.get(); }
    [[nodiscard]] Index end() const { return offset_bytes + size_bytes; }
  };

  [[nodiscard]] std::string path_of(Index block) const {
    return column_.files.path(column_.number, block, column_.time);
  }
  [[nodiscard]] BlockCache::Key key_of(Index block) const {
    return {&column_.blocks, column_.number, column_.time, block, query_.context_.bits};
  }
  void count(std::atomic<Index> ReadCounters::*counter, Index n) {
    if (query_.context_.counters) query_.context_.counters->*counter += n;
  }

  /// Copies the block if it is in memory, or records what to read.
  Status find(Index block) {
    if (!form_.holds_any(block, target_)) return {};  // strides skip it
    if (query_.context_.cache) {
      if (const auto known = query_.context_.cache->find(key_of(block))) {
        form_.place(block, known->order, known->bytes.get(), target_);
        count(&ReadCounters::cached_blocks, 1);
        return {};
      }
    }
    if (column_.stored && !column_.stored->contains(block)) return place_left_out(block);
    ESKER_ASSIGN_OR_RETURN(StoredBlock stored, column_.files.find(column_.number, block, column_.time));
    if (query_.context_.verify && stored.file) {
      ESKER_RETURN_IF_ERROR(column_.files.check_identity(*stored.file, block, column_.time));
    }
    if (stored.absent) return place_missing(block);
    ESKER_RETURN_IF_ERROR(form_.check(block, stored));
    const bool is_whole = form_.is_encoded(stored) || (query_.context_.verify && stored.checksum) ||
                          query_.keeps(stored, form_);
    ByteRange range = form_.wanted_range(block, stored.order, target_);
    if (range.size() == 0) return {};
    if (is_whole)
      range = form_.is_encoded(stored) ? form_.encoded_range(stored) : ByteRange{0, stored.size_bytes};
    const Index offset = stored.offset_bytes + range.first;
    const BlockFile* file = stored.file.get();
    if (std::find(files_.begin(), files_.end(), file) == files_.end()) files_.push_back(file);
    items_.push_back({block, std::move(stored), offset, range.size(), is_whole});
    return {};
  }

  /// Other writers leave blocks out. Esker records what a step holds, and then each of these blocks exists.
  Status place_missing(Index block) {
    if (query_.context_.missing == MissingBlocks::kAuto && column_.all_exist) {
      const bool may_be_merging = column_.blocks.brick_digits() > 0;
      return error(Code::kDataLoss, "block {} is missing{}", block,
                   may_be_merging ? "; if `esker merge` was interrupted, run it again" : "");
    }
    return place_left_out(block);
  }

  Status place_left_out(Index block) {
    form_.fill(block, column_.fill_sample, target_);
    constexpr std::byte kNotStored{0};
    if (target_.is_stored) form_.fill(block, {&kNotStored, 1}, target_.of_mask());
    count(&ReadCounters::missing_blocks, 1);
    return {};
  }

  /// Items from `first` on that are read together, with at most twice their bytes. With few bits per sample,
  /// none of the others are read.
  [[nodiscard]] std::size_t end_of_run(std::size_t first) const {
    const Index cheap_gap = query_.context_.bits > 0 ? 0 : items_[first].file()->file->cheap_gap_bytes();
    const Index most = std::max(query_.task_bytes(), items_[first].size_bytes);
    std::size_t last = first + 1;
    Index end = items_[first].end(), wanted = items_[first].size_bytes;
    while (last < items_.size() && items_[last].file() == items_[first].file() &&
           items_[last].offset_bytes - end <= std::min(cheap_gap, wanted) &&
           items_[last].end() - items_[first].offset_bytes <= most) {
      end = std::max(end, items_[last].end());
      wanted += items_[last].size_bytes;
      ++last;
    }
    return last;
  }

  Status read_run(std::span<const Item> run) {
    const Index begin = run.front().offset_bytes;
    Index end = begin;
    for (const Item& item : run) end = std::max(end, item.end());
    const auto bytes = run_.get(end - begin);
    ESKER_RETURN_IF_ERROR(run.front().file()->file->read_at(bytes, begin));
    count(&ReadCounters::reads, 1);
    count(&ReadCounters::bytes, end - begin);
    count(&ReadCounters::blocks, static_cast<Index>(run.size()));
    for (const Item& item : run) {
      const auto of_item = bytes.subspan(static_cast<std::size_t>(item.offset_bytes - begin),
                                         static_cast<std::size_t>(item.size_bytes));
      ESKER_RETURN_IF_ERROR(place(item, of_item).with_context(path_of(item.block)));
    }
    return {};
  }

  Status place(const Item& item, std::span<const std::byte> bytes) {
    const StoredBlock& stored = item.stored;
    if (item.is_whole && query_.context_.verify) {
      ESKER_RETURN_IF_ERROR(form_.check_bytes(item.block, stored, bytes));
    }
    if (query_.keeps(stored, form_)) return keep(item, bytes);
    if (!form_.is_encoded(stored)) {
      const Index before = item.offset_bytes - stored.offset_bytes;
      form_.place(item.block, stored.order, bytes.data() - before, target_);
      return {};
    }
    const auto samples = decoded_.get(form_.decoded_bytes());
    ESKER_RETURN_IF_ERROR(form_.decode(item.block, stored, bytes, samples));
    form_.place(item.block, stored.order, samples.data(), target_);
    return {};
  }

  /// Copies the block, and adds it to the cache.
  Status keep(const Item& item, std::span<const std::byte> bytes) {
    const Index size = form_.decoded_bytes();
    auto block = std::make_shared<DecodedBlock>();
    block->bytes = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size));
    block->size_bytes = size;
    block->order = item.stored.order;
    if (form_.is_encoded(item.stored)) {
      const std::span samples(block->bytes.get(), static_cast<std::size_t>(size));
      ESKER_RETURN_IF_ERROR(form_.decode(item.block, item.stored, bytes, samples));
    } else {
      std::memcpy(block->bytes.get(), bytes.data(), bytes.size());
    }
    form_.place(item.block, block->order, block->bytes.get(), target_);
    query_.context_.cache->keep(key_of(item.block), std::move(block));
    return {};
  }

  BlockQuery& query_;
  const Column& column_;
  const BlockForm& form_;
  const ReadTarget& target_;
  std::vector<Item> items_;
  std::vector<const BlockFile*> files_;  // of items_
  Scratch run_, decoded_;
};

BlockQuery::BlockQuery(const Column& column, const ReadTarget& target, const ReadContext& context)
    : column_(column), target_(target), context_(context) {}

Status BlockQuery::run(const Box& box, int start_level, int level) {
  list_blocks(box, start_level, level);
  const auto num_blocks = static_cast<Index>(blocks_.size());
  const Index block_bytes = column_.form.decoded_bytes();
  const bool is_local = column_.files.store().is_local();
  fits_cache_ = context_.cache && num_blocks <= context_.cache->limit_bytes() / block_bytes;
  const Index worth = is_local ? num_blocks * block_bytes / kBytesPerThread : num_blocks;
  const Index most = std::min<Index>(context_.threads, kMostDecodedBytes / block_bytes);
  const auto threads = static_cast<int>(std::clamp<Index>(worth, 1, std::max<Index>(1, most)));
  const Index per_task =
      std::clamp<Index>(task_bytes() / block_bytes, 1, std::max<Index>(1, num_blocks / threads));
  const auto make_worker = [&]() -> Worker {
    return [&, worker = std::make_shared<TaskWorker>(*this)](Index task) {
      const Index first = task * per_task;
      return worker->run(std::span(blocks_).subspan(
          static_cast<std::size_t>(first), static_cast<std::size_t>(std::min(per_task, num_blocks - first))));
    };
  };
  return run_tasks(div_up(num_blocks, per_task), threads, make_worker, context_.progress);
}

void BlockQuery::list_blocks(const Box& box, int start_level, int level) {
  const int coarsest = column_.blocks.coarsest_level();
  for (int h = std::max(start_level, coarsest); h <= std::max(level, coarsest); ++h) {
    column_.blocks.for_each_block_meeting(box, h, [&](Index block) { blocks_.push_back(block); });
  }
  const int digits = column_.blocks.mask().max_level() - column_.blocks.bits_per_block();
  std::sort(blocks_.begin(), blocks_.end(), InTreeOrder{digits, column_.blocks.brick_digits()});
}

Index BlockQuery::task_bytes() const {
  return column_.files.store().is_local() ? kLocalTaskBytes : kRemoteTaskBytes;
}

// Raw data on this machine are already cached by the system.
bool BlockQuery::keeps(const StoredBlock& stored, const BlockForm& form) const {
  return fits_cache_ && (form.is_encoded(stored) || !column_.files.store().is_local());
}

}  // namespace esker::idx
