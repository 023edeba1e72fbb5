#include "formats/idx/pidx_partitions.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/pidx_header.h"

namespace esker::idx {
namespace {

constexpr Index kMaxHeaders = 4096;  ///< headers opened for one dataset; each is compared with all others

std::string partition_path(const IdxPart& whole, Index number) {
  const std::string& path = whole.idx_path();
  return path.substr(0, path.size() - 4) + "_" + std::to_string(number) + ".idx";
}

/// The problem with the partitions, and the alternative.
Status cannot_join(const IdxPart& whole, Index count, const std::string& why) {
  return error(Code::kUnsupported, "partitioned by PIDX: {}; open {} ... {} separately", why,
               partition_path(whole, 0), partition_path(whole, count - 1));
}

/// Why the partition cannot be part of the complete dataset; empty if it can.
std::string mismatch(const IdxPart& whole, const JoinedPart& joined) {
  const Header& header = joined.part->header();
  if (header.box.rank != whole.header().box.rank) return "the number of axes differs";
  if (header.fields != whole.header().fields) return "the fields differ";
  const auto has_time = [&](Index time) { return joined.part->step_at(time) >= 0; };
  if (!std::all_of(whole.times().begin(), whole.times().end(), has_time)) return "steps are missing";
  if (joined.box.empty()) return "the partition is outside the box";
  return "";
}

/// Partition `number`, or nothing if the file does not exist: PIDX omits empty partitions.
Result<std::optional<JoinedPart>> open_partition(const std::shared_ptr<Store>& store, const IdxPart& whole,
                                                 Index number) {
  auto opened = IdxPart::open_file(store, partition_path(whole, number));
  if (opened.status().code() == Code::kNotFound) return std::optional<JoinedPart>();
  ESKER_RETURN_IF_ERROR(opened.status());
  JoinedPart joined{std::move(*opened), {}, {}};
  const Header& header = joined.part->header();
  ESKER_ASSIGN_OR_RETURN(const auto described, pidx_partition(header));
  if (!described || described->index.value_or(number) != number) {
    return error(Code::kUnsupported, "{}: (partition index) is missing or wrong, expected {}",
                 joined.part->idx_path(), number);
  }
  joined.offset = described->offset;
  joined.box = header.box;
  for (int a = 0; a < header.box.rank; ++a) {
    joined.box.lo[a] += joined.offset[a];
    joined.box.hi[a] += joined.offset[a];
  }
  if (header.box.rank == whole.header().box.rank) joined.box = intersect(joined.box, whole.header().box);
  if (const std::string why = mismatch(whole, joined); !why.empty()) {
    return error(Code::kUnsupported, "{}: {}", joined.part->idx_path(), why);
  }
  return std::optional(std::move(joined));
}

/// Whether each sample of `box` is in exactly one partition.
bool cover_once(const std::vector<JoinedPart>& partitions, const Box& box) {
  Index sum = 0;
  for (auto one = partitions.begin(); one != partitions.end(); ++one) {
    const auto meets = [&](const JoinedPart& other) { return !intersect(one->box, other.box).empty(); };
    if (std::any_of(partitions.begin(), one, meets)) return false;
    sum += one->box.num_samples();  // so never more than those of `box`
  }
  return sum == box.num_samples();
}

}  // namespace

Result<std::vector<JoinedPart>> open_pidx_partitions(const std::shared_ptr<Store>& store,
                                                     const IdxPart& whole) {
  std::vector<JoinedPart> partitions;
  ESKER_ASSIGN_OR_RETURN(const Index count, num_pidx_partitions(whole.header()));
  if (count == 1) return partitions;
  if (count > kMaxHeaders)
    return cannot_join(whole, count, fmt::format("{} partitions, expected at most {}", count, kMaxHeaders));
  if (!has_local_partitions(whole.header()))
    return cannot_join(whole, count, "partitions in global coordinates are not supported");
  for (Index number = 0; number < count; ++number) {
    auto joined = open_partition(store, whole, number);
    if (joined.status().code() == Code::kIoError) return joined.status();
    if (!joined.ok()) return cannot_join(whole, count, joined.status().message());
    if (*joined) partitions.push_back(std::move(**joined));
  }
  if (!cover_once(partitions, whole.header().box)) {
    return cannot_join(whole, count, "the partitions do not cover the box exactly once");
  }
  return partitions;
}

}  // namespace esker::idx
