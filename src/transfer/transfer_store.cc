#include "transfer/transfer_store.h"

#include <algorithm>
#include <cstring>

#include "base/byte_order.h"
#include "base/macros.h"
#include "store/read_present.h"
#include "transfer/held_runs.h"

namespace esker {

TransferStore::TransferStore(const TransferPlan& plan, const std::vector<FileArray>& arrays, File& file)
    : plan_(plan), arrays_(arrays), file_(file) {
  if (plan.most_masked_samples() == 0) return;
  mask_.resize(static_cast<std::size_t>(plan.most_masked_samples()));
  stored_.resize(static_cast<std::size_t>(plan.space().largest_piece_bytes()));
}

Status TransferStore::write(Index begin, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const Place place = place_at(begin);
    const auto part = bytes.first(std::min(bytes.size(), static_cast<std::size_t>(place.end - begin)));
    ESKER_RETURN_IF_ERROR(file_.write_at(part, place.offset_bytes));
    begin += std::ssize(part);
    bytes = bytes.subspan(part.size());
  }
  return {};
}

void TransferStore::encode(const BufferContent& content, std::span<std::byte> bytes) const {
  const PieceSpace& space = plan_.space();
  space.for_each_piece(content.first_piece, content.last_piece, [&](int layout, const Piece& piece) {
    const Index begin = space.first_position(layout) + piece.position_bytes - content.begin;
    swap_bytes(bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(piece.size_bytes)),
               static_cast<int>(piece.sample_bytes));
  });
}

Status TransferStore::store(const Round& round, std::span<std::byte> bytes) {
  if (bytes.empty()) return {};
  const BufferContent& content = round.content;
  encode(content, bytes);
  const auto at = [&](Index begin, Index end) {
    return bytes.subspan(static_cast<std::size_t>(begin - content.begin),
                         static_cast<std::size_t>(end - begin));
  };
  Index written = content.begin;  // everything before it
  for (const PaddedPiece& padded : content.padded) {
    const Index begin = content.begin + padded.offset_bytes, end = begin + padded.bytes;
    ESKER_RETURN_IF_ERROR(write(written, at(written, begin)));
    find_runs(plan_.space().first_piece_from(begin));
    ESKER_RETURN_IF_ERROR(write_runs(begin, at(begin, end)));
    written = end;
  }
  return write(written, at(written, content.end));
}

/// The samples of a piece that ranks brought.
void TransferStore::find_runs(Index number) {
  const PieceSpace& space = plan_.space();
  const int of = space.layout_of(number);
  runs_.clear();
  for_each_held_run(space, of, space.piece(number), *plan_.parts()[static_cast<std::size_t>(of)].holders,
                    mask_, [&](Index begin, Index end) {
                      runs_.push_back({begin, end});
                    });
}

/// Writes the runs of a piece that begins at `begin`. If most of what lies between them is to be written
/// anyway, the holes are read, and all of it is written at once: only this rank stores the piece.
Status TransferStore::write_runs(Index begin, std::span<std::byte> bytes) {
  const auto write_part = [&](Index from, Index to) {
    return write(from,
                 bytes.subspan(static_cast<std::size_t>(from - begin), static_cast<std::size_t>(to - from)));
  };
  for (std::size_t first = 0, last = 0; first < runs_.size(); first = last) {
    const Place place = place_at(runs_[first].begin);
    Index covered = 0;
    for (last = first; last < runs_.size() && runs_[last].end <= place.end; ++last) {
      covered += runs_[last].end - runs_[last].begin;
    }
    last = std::max(last, first + 1);  // a run may be in several contiguous parts of the file
    const Index from = runs_[first].begin, to = runs_[last - 1].end;
    if (last - first > 1 && 2 * covered >= to - from) {
      ESKER_RETURN_IF_ERROR(fill_holes(first, last, place, begin, bytes));
      ESKER_RETURN_IF_ERROR(write_part(from, to));
      continue;
    }
    for (std::size_t r = first; r < last; ++r) {
      ESKER_RETURN_IF_ERROR(write_part(runs_[r].begin, runs_[r].end));
    }
  }
  return {};
}

/// Copies what the file has between runs [first, last) to `bytes`; where it ends, zeros.
Status TransferStore::fill_holes(std::size_t first, std::size_t last, const Place& place, Index begin,
                                 std::span<std::byte> bytes) {
  const Index from = runs_[first].begin, to = runs_[last - 1].end;
  const auto stored = std::span(stored_).first(static_cast<std::size_t>(to - from));
  ESKER_RETURN_IF_ERROR(read_present(file_, stored, place.offset_bytes));
  for (std::size_t r = first; r + 1 < last; ++r) {
    const Index hole = runs_[r].end;
    std::memcpy(bytes.data() + (hole - begin), stored.data() + (hole - from),
                static_cast<std::size_t>(runs_[r + 1].begin - hole));
  }
  return {};
}

}  // namespace esker
