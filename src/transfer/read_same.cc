#include "transfer/read_same.h"

#include <algorithm>

#include "base/checked.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "layout/places.h"
#include "transfer/box_rows.h"
#include "transfer/convert_row.h"
#include "transfer/own_access.h"

namespace esker {
namespace {

constexpr Index kChunkBytes = Index{1} << 20;
constexpr std::size_t kMostParts = 4096;  // of a chunk
constexpr int kMostReaders = 8;           // which read at the same time

/// The dense samples of a box, in the array's type.
MutablePatch dense_patch(const FileArray& array, const Box& box, std::byte* data) {
  MutablePatch patch;
  patch.box = box;
  patch.data = data;
  patch.type = array.type;
  Index stride = array.sample_bytes();
  for (int a = 0; a < box.rank; ++a) {
    patch.stride_bytes[static_cast<std::size_t>(a)] = stride;
    stride *= box.extent(a);
  }
  return patch;
}

}  // namespace

SameReader::SameReader(const std::vector<FileArray>& arrays, std::span<const ArrayTarget> mine,
                       const File& file, Index n_bytes)
    : arrays_(arrays),
      mine_(mine),
      file_(file),
      num_chunks_(div_up(n_bytes, kChunkBytes)),
      own_(static_cast<std::size_t>(std::min(n_bytes, kChunkBytes) + 1)),
      received_(own_.size()),
      out_of_range_(mine.size()) {
  parts_.reserve(kMostParts);
}

/// Sets parts_ to those of the chunk at the cursor. Its bytes; 0 at the end. Allocates nothing.
Index SameReader::next_chunk(Cursor& cursor) {
  parts_.clear();
  Index bytes = 0;
  while (cursor.patch < mine_.size() && parts_.size() < kMostParts) {
    const ArrayTarget& target = mine_[cursor.patch];
    const Box& box = target.patch.box;
    const Index size = array_of(target).sample_bytes();
    const Point slab = slab_extent(box.extents(), box.rank, kChunkBytes / size);
    Point counts{1, 1, 1, 1, 1};
    Index n = 1;
    for (int a = 0; a < box.rank; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      n *= counts[axis] = div_up(box.extent(a), slab[axis]);
    }
    const Point place = place_in(counts, box.rank, cursor.slab);
    Box part = box;
    for (int a = 0; a < box.rank; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      part.lo[axis] += place[axis] * slab[axis];
      part.hi[axis] = std::min(part.hi[axis], part.lo[axis] + slab[axis]);
    }
    const Index part_bytes = part.num_samples() * size;
    if (bytes + part_bytes > kChunkBytes) break;
    parts_.push_back({cursor.patch, part, bytes});
    bytes += part_bytes;
    if (++cursor.slab == n) cursor = {cursor.patch + 1, 0};
  }
  return bytes;
}

/// Reads the parts to own_.
Status SameReader::load() {
  bool all_fit = true;
  for (const Part& part : parts_) {
    const FileArray& array = array_of(mine_[part.patch]);
    const MutablePatch patch = dense_patch(array, part.box, own_.data() + part.first_byte);
    ESKER_RETURN_IF_ERROR(read_alone(file_, array, patch, {}, all_fit));
  }
  return {};
}

/// Reads chunk `number` from the cursor on, if there is one.
void SameReader::load_own(Cursor cursor, int number) {
  Index bytes = next_chunk(cursor);
  for (int k = 0; k < number && bytes > 0; ++k) bytes = next_chunk(cursor);
  if (bytes == 0) return;
  if (status_.ok()) status_ = guarded("get", [&] { return load(); });
  own_[static_cast<std::size_t>(bytes)] = std::byte{status_.ok() ? std::uint8_t{0} : std::uint8_t{1}};
}

/// Copies the parts from a chunk to this rank's memory.
void SameReader::place(const std::byte* bytes) {
  for (const Part& part : parts_) {
    const ArrayTarget& target = mine_[part.patch];
    const MutablePatch& patch = target.patch;
    const FileArray& array = array_of(target);
    const std::byte* from = bytes + part.first_byte;
    (void)for_each_row(part.box, [&](const Point& at) {
      auto* const to = static_cast<std::byte*>(patch.data) +
                       offset_of(at, patch.box.lo, patch.stride_bytes, patch.box.rank);
      if (!place_row(array.type, from, array.sample_bytes(), patch.type, target.misfit_bytes(), to,
                     patch.stride_bytes[0], part.box.extent(0))) {
        out_of_range_[part.patch] = true;
      }
      from += part.box.extent(0) * array.sample_bytes();
      return Status();
    });
  }
}

// Several ranks read a chunk each before these are broadcast one after the other.
Status SameReader::read(Comm& comm) {
  const int n_readers = static_cast<int>(std::min<Index>(num_chunks_, std::min(comm.size(), kMostReaders)));
  const auto rank_of = [&](int reader) { return reader * comm.size() / n_readers; };
  Cursor cursor;
  for (Index bytes = 1; bytes > 0;) {
    for (int k = 0; k < n_readers; ++k) {
      if (rank_of(k) == comm.rank()) load_own(cursor, k);
    }
    for (int k = 0; k < n_readers && bytes > 0; ++k) {
      bytes = next_chunk(cursor);
      if (bytes == 0) break;
      const auto chunk =
          std::span(rank_of(k) == comm.rank() ? own_ : received_).first(static_cast<std::size_t>(bytes + 1));
      comm.broadcast(chunk, rank_of(k));
      if (chunk.back() != std::byte{0}) return agree(comm, status_);
      place(chunk.data());
    }
    if (cursor.patch == mine_.size()) break;
  }
  return {};
}

}  // namespace esker
