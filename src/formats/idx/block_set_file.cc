#include "formats/idx/block_set_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "store/checksum.h"

namespace esker::idx {
namespace {

constexpr std::string_view kBlockSetMagic = "ESKBSET1";
constexpr std::size_t kStart = 16;  // of what the checksum covers

void append_number(Index value, std::vector<std::byte>& bytes) {
  auto left = static_cast<std::uint64_t>(value);
  for (; left >= 0x80; left >>= 7) bytes.push_back(static_cast<std::byte>(left | 0x80));
  bytes.push_back(static_cast<std::byte>(left));
}

/// Reads numbers from untrusted bytes.
class Numbers {
 public:
  explicit Numbers(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// kDataLoss: the bytes end, or the number is not in 0 ... most.
  Result<Index> next(Index most, const char* what) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 63 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint64_t>(bytes_.front());
      bytes_ = bytes_.subspan(1);
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if (value <= static_cast<std::uint64_t>(most)) return static_cast<Index>(value);
      return error(Code::kDataLoss, "{}: expected at most {}, found {}", what, most, value);
    }
    return error(Code::kDataLoss, "{}: expected a number, found the end of the file or too many digits",
                 what);
  }
  [[nodiscard]] Index left() const { return std::ssize(bytes_); }

 private:
  std::span<const std::byte> bytes_;
};

Result<BlockRuns> read_runs(Numbers& numbers, Index num_existing) {
  ESKER_ASSIGN_OR_RETURN(const Index num_runs, numbers.next(numbers.left() / 2, "runs of a set"));
  BlockRuns runs;
  runs.reserve(static_cast<std::size_t>(num_runs));
  Index end = 0;
  for (Index r = 0; r < num_runs; ++r) {
    ESKER_ASSIGN_OR_RETURN(const Index gap, numbers.next(num_existing - end, "blocks before a run"));
    const Index first = end + gap;
    ESKER_ASSIGN_OR_RETURN(const Index length, numbers.next(num_existing - first, "blocks of a run"));
    if (length == 0 || (gap == 0 && r > 0)) {
      return error(Code::kDataLoss, "run {}: expected blocks that do not touch the run before", r);
    }
    end = first + length;
    runs.push_back({first, end});
  }
  return runs;
}

/// The sets without repetitions, and the number of each column's; 0: absent.
struct NumberedSets {
  std::vector<const BlockSet*> sets;
  std::vector<Index> of_column;
};

NumberedSets number_sets(const std::vector<StoredColumn>& columns) {
  NumberedSets numbered;
  for (const StoredColumn& column : columns) {
    if (!column.blocks) {
      numbered.of_column.push_back(0);
      continue;
    }
    const auto same = std::find_if(numbered.sets.begin(), numbered.sets.end(),
                                   [&](const BlockSet* set) { return *set == *column.blocks; });
    numbered.of_column.push_back(same - numbered.sets.begin() + 1);
    if (same == numbered.sets.end()) numbered.sets.push_back(column.blocks.get());
  }
  return numbered;
}

void append_patches(const std::vector<MeshBox>& patches, std::vector<std::byte>& bytes) {
  append_number(std::ssize(patches), bytes);
  for (const MeshBox& patch : patches) {
    append_number(patch.level, bytes);
    for (int a = 0; a < patch.box.rank; ++a) {
      append_number(patch.box.lo[a], bytes);
      append_number(patch.box.extent(a), bytes);
    }
  }
}

Result<std::vector<MeshBox>> read_patches(Numbers& numbers, int rank) {
  constexpr Index kMostIndex = Index{1} << 61;
  ESKER_ASSIGN_OR_RETURN(const Index num_patches, numbers.next(numbers.left() / (1 + 2 * rank), "patches"));
  std::vector<MeshBox> patches(static_cast<std::size_t>(num_patches));
  for (MeshBox& patch : patches) {
    ESKER_ASSIGN_OR_RETURN(const Index level, numbers.next(kMaxLevel, "level of a patch"));
    patch = {static_cast<int>(level), Box{rank, {}, {}}};
    for (int a = 0; a < rank; ++a) {
      ESKER_ASSIGN_OR_RETURN(patch.box.lo[a], numbers.next(kMostIndex, "begin of a patch"));
      ESKER_ASSIGN_OR_RETURN(const Index extent, numbers.next(kMostIndex, "extent of a patch"));
      if (extent == 0) return error(Code::kDataLoss, "a patch of level {} is empty", level);
      patch.box.hi[a] = patch.box.lo[a] + extent;
    }
  }
  return patches;
}

Status check_size(const std::vector<std::byte>& bytes, std::size_t most_bytes) {
  if (bytes.size() <= most_bytes) return {};
  return error(Code::kUnsupported,
               "the sets of blocks and the patches need more than {} bytes, the most that is supported; keep "
               "larger or fewer regions, or choose a larger bits_per_block",
               most_bytes);
}

}  // namespace

Result<std::vector<std::byte>> encode_block_sets(const StepSets& step, std::size_t most_bytes) {
  const std::vector<StoredColumn>& columns = step.columns;
  std::vector<std::byte> bytes(kStart);
  const NumberedSets numbered = number_sets(columns);
  append_number(std::ssize(columns), bytes);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    append_number(numbered.of_column[c], bytes);
    append_number(columns[c].num_primary, bytes);
  }
  append_number(std::ssize(numbered.sets), bytes);
  for (const BlockSet* set : numbered.sets) {
    const BlockRuns runs = set->is_all() ? BlockRuns{{0, set->size()}} : set->runs();
    append_number(std::ssize(runs), bytes);
    Index end = 0;
    for (const BlockRun& run : runs) {
      append_number(run.first - end, bytes);
      append_number(run.last - run.first, bytes);
      end = run.last;
    }
    ESKER_RETURN_IF_ERROR(check_size(bytes, most_bytes));
  }
  if (!step.patches.empty()) append_patches(step.patches, bytes);
  ESKER_RETURN_IF_ERROR(check_size(bytes, most_bytes));
  std::memcpy(bytes.data(), kBlockSetMagic.data(), kBlockSetMagic.size());
  const std::uint64_t sum = checksum(std::span(bytes).subspan(kStart), 0);
  std::memcpy(bytes.data() + kBlockSetMagic.size(), &sum, sizeof(sum));
  return bytes;
}

Result<StepSets> decode_block_sets(std::span<const std::byte> bytes, const BlockGrid& grid,
                                   std::size_t num_columns) {
  if (bytes.size() < kStart || std::memcmp(bytes.data(), kBlockSetMagic.data(), kBlockSetMagic.size()) != 0) {
    return error(Code::kDataLoss, "expected a file of block sets, which begins with {}", kBlockSetMagic);
  }
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + kBlockSetMagic.size(), sizeof(sum));
  if (sum != checksum(bytes.subspan(kStart), 0)) {
    return error(Code::kDataLoss, "the content does not have the checksum in its first 16 bytes");
  }
  Numbers numbers(bytes.subspan(kStart));
  ESKER_ASSIGN_OR_RETURN(const Index listed, numbers.next(std::ssize(bytes), "fields"));
  if (listed != static_cast<Index>(num_columns)) {
    return error(Code::kDataLoss, "expected {} fields, found {}", num_columns, listed);
  }
  std::vector<StoredColumn> columns(num_columns);
  std::vector<Index> set_of_column;
  for (StoredColumn& column : columns) {
    ESKER_ASSIGN_OR_RETURN(const Index set, numbers.next(listed, "set of a field"));
    ESKER_ASSIGN_OR_RETURN(column.num_primary, numbers.next(grid.box().num_samples(), "primary samples"));
    set_of_column.push_back(set);
  }
  std::vector<std::shared_ptr<const BlockSet>> sets{nullptr};
  std::vector<Index> samples{0};  // of each set
  ESKER_ASSIGN_OR_RETURN(const Index num_sets, numbers.next(listed, "sets"));
  for (Index s = 0; s < num_sets; ++s) {
    ESKER_ASSIGN_OR_RETURN(BlockRuns runs, read_runs(numbers, grid.num_existing()));
    sets.push_back(std::make_shared<BlockSet>(grid, std::move(runs)));
    samples.push_back(sets.back()->num_samples());
  }
  std::vector<MeshBox> patches;
  if (numbers.left() > 0) {
    ESKER_ASSIGN_OR_RETURN(patches, read_patches(numbers, grid.box().rank));
  }
  if (numbers.left() > 0) return error(Code::kDataLoss, "{} bytes follow the last set", numbers.left());
  for (std::size_t c = 0; c < num_columns; ++c) {
    if (set_of_column[c] > num_sets) {
      return error(Code::kDataLoss, "field {} has set {} of {}", c, set_of_column[c], num_sets);
    }
    const auto set = static_cast<std::size_t>(set_of_column[c]);
    if (columns[c].num_primary > samples[set]) {
      return error(Code::kDataLoss, "field {} has {} primary samples, but its blocks hold {}", c,
                   columns[c].num_primary, samples[set]);
    }
    columns[c].blocks = sets[set];
  }
  return StepSets{std::move(columns), std::move(patches)};
}

std::uint64_t block_sets_sum(std::span<const std::byte> bytes) { return checksum(bytes, 1); }

}  // namespace esker::idx
