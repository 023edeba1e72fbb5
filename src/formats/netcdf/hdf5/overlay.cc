#include "formats/netcdf/hdf5/overlay.h"

#include <algorithm>
#include <iterator>

#include "base/macros.h"

namespace esker::hdf5 {
namespace {

using Range = std::pair<const Index, std::vector<std::byte>>;

Index end_of(const Range& range) { return range.first + static_cast<Index>(range.second.size()); }

/// The part [begin, end) of bytes that are stored from `offset` on.
template <class Byte>
std::span<Byte> part_of(std::span<Byte> bytes, Index offset, Index begin, Index end) {
  return bytes.subspan(static_cast<std::size_t>(begin - offset), static_cast<std::size_t>(end - begin));
}

/// The first range that ends after `offset`.
template <class Ranges>
auto first_behind(Ranges& ranges, Index offset) {
  auto range = ranges.upper_bound(offset);
  if (range != ranges.begin() && end_of(*std::prev(range)) > offset) --range;
  return range;
}

}  // namespace

Status apply(File& file, const Change& change) {
  for (const auto& [offset, bytes] : change.ranges) ESKER_RETURN_IF_ERROR(file.write_at(bytes, offset));
  return file.extend_to(change.file_bytes);
}

Result<Change> inverse_of(const Change& change, const File& file, Index file_bytes) {
  Change inverse{{}, file_bytes};
  for (const auto& [offset, bytes] : change.ranges) {
    const Index n = std::min(static_cast<Index>(bytes.size()), file_bytes - offset);
    if (n <= 0) continue;
    std::vector<std::byte>& old = inverse.ranges[offset];
    old.resize(static_cast<std::size_t>(n));
    ESKER_RETURN_IF_ERROR(file.read_at(old, offset));
  }
  return inverse;
}

Status Overlay::read(std::span<std::byte> bytes, Index offset) const {
  const Index end = offset + static_cast<Index>(bytes.size());
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  if (file_ && offset < file_bytes_) {
    ESKER_RETURN_IF_ERROR(file_->read_at(part_of(bytes, offset, offset, std::min(end, file_bytes_)), offset));
  }
  for (auto range = first_behind(ranges_, offset); range != ranges_.end() && range->first < end; ++range) {
    const Index first = std::max(offset, range->first), last = std::min(end, end_of(*range));
    const auto source = part_of(std::span(range->second), range->first, first, last);
    std::copy(source.begin(), source.end(), part_of(bytes, offset, first, last).begin());
  }
  return {};
}

// Ranges that overlap the new bytes are merged with them.
void Overlay::write(std::span<const std::byte> bytes, Index offset) {
  if (bytes.empty()) return;
  const Index end = offset + static_cast<Index>(bytes.size());
  end_bytes_ = std::max(end_bytes_, end);
  auto first = first_behind(ranges_, offset);
  const auto last = ranges_.lower_bound(end);
  if (first == last || first->first > offset) {
    first = ranges_.emplace_hint(first, offset, std::vector<std::byte>());
  }
  std::vector<std::byte>& joined = first->second;
  if (end_of(*first) < end) joined.resize(static_cast<std::size_t>(end - first->first));
  const auto next = std::next(first);
  for (auto range = next; range != last; ++range) {
    if (end_of(*range) > end) joined.resize(static_cast<std::size_t>(end_of(*range) - first->first));
    std::copy(range->second.begin(), range->second.end(), joined.begin() + (range->first - first->first));
  }
  ranges_.erase(next, last);
  std::copy(bytes.begin(), bytes.end(), joined.begin() + (offset - first->first));
}

}  // namespace esker::hdf5
