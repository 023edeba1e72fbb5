#include "write/buffer_store.h"

#include <algorithm>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "write/own_runs.h"

namespace esker {
namespace {

/// Skips pages without samples: they are holes of a new file, and read as the zeros that were hashed.
Status write_used(const BufferContent& content, std::span<const std::byte> bytes, StepFiles& files) {
  Index begin = 0;
  const auto write_to = [&](Index end) {
    const auto part = bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    return files.write(content.begin + begin, part);
  };
  for (const ByteRange& range : content.unused) {
    ESKER_RETURN_IF_ERROR(write_to(range.offset_bytes));
    begin = range.offset_bytes + range.bytes;
  }
  return write_to(content.size_bytes());
}

}  // namespace

Status BufferStore::store(const Round& round, std::span<std::byte> bytes) {
  if (!queues_.all) return store_now(round, bytes);
  if (bytes.empty()) return {};
  return queues_.all->add(bytes, [this, &round](std::span<std::byte> copy) {
    const Stopwatch watch;
    Status stored = store_now(round, copy);
    counters_.store_s += watch.elapsed_s();
    return stored;
  });
}

/// Calls write(bytes), which may be later.
template <class Write>
Status BufferStore::write(std::span<std::byte> bytes, const Write& write) {
  const auto measured = [this, write](std::span<std::byte> stored) {
    const StoreCost::Meter meter(write_cost_);
    return write(stored);
  };
  return queues_.writes ? queues_.writes->add(bytes, measured) : measured(bytes);
}

Status BufferStore::store_now(const Round& round, std::span<std::byte> bytes) {
  if (plan_.compressor) return store_compressed(round.content, bytes);
  if (bytes.empty()) return {};
  encode(round.content, bytes);
  add_part_sums(round.content, bytes, plan_.aggregates ? nullptr : &round.local.segments);
  if (!plan_.aggregates) {
    counters_.stored_bytes += round.local.bytes;
    return write_own_runs(plan_.space, round, bytes, buffers_.mask, files_);
  }
  counters_.stored_bytes += round.content.size_bytes();
  if (plan_.layouts->shares_files(plan_.space.layout_at(round.content.begin))) {
    return files_.write(round.content.begin, bytes);
  }
  return write_used(round.content, bytes, files_);
}

/// Calls visit(layout, its part of the content, the bytes of that part) for each layout in a content.
template <class Visit>
Status BufferStore::for_each_layout(const BufferContent& content, std::span<std::byte> bytes,
                                    const Visit& visit) const {
  for (Index first = content.first_piece; first < content.last_piece;) {
    const int layout = plan_.space.layout_of(first);
    const Index end_of_layout = plan_.space.first_ordinal(layout) + plan_.space.layout(layout).num_pieces();
    BufferContent part;
    part.first_piece = first;
    part.last_piece = std::min(content.last_piece, end_of_layout);
    part.begin = plan_.space.position_bytes(first);
    part.end = plan_.space.position_bytes(part.last_piece);
    ESKER_RETURN_IF_ERROR(visit(layout, part,
                                bytes.subspan(static_cast<std::size_t>(part.begin - content.begin),
                                              static_cast<std::size_t>(part.size_bytes()))));
    first = part.last_piece;
  }
  return {};
}

// A rank that fails goes on to place(), where the other members of its group wait.
Status BufferStore::store_compressed(const BufferContent& content, std::span<std::byte> bytes) {
  PieceCompressor& compressor = *plan_.compressor;
  const auto compressed_of = [&](const BufferContent& part) {
    return buffers_.compressed.subspan(static_cast<std::size_t>(part.begin - content.begin),
                                       static_cast<std::size_t>(part.size_bytes()));
  };
  const Stopwatch watch;
  const bool has_bytes = !bytes.empty();
  Status status = guarded("compress", [&]() -> Status {
    if (!has_bytes) return {};
    return for_each_layout(content, bytes,
                           [&](int layout, const BufferContent& part, auto of_part) -> Status {
                             if (!plan_.layouts->compresses(layout)) return {};
                             return compressor.compress({part.first_piece, part.last_piece}, plan_.raw_pieces,
                                                        of_part, compressed_of(part), plan_.records);
                           });
  });
  counters_.compress_s += watch.elapsed_s();
  compressor.place({content.first_piece, content.last_piece}, !has_bytes || !status.ok(), plan_.records);
  if (!status.ok() || !has_bytes) return status;
  return for_each_layout(content, bytes, [&](int layout, const BufferContent& part, auto of_part) -> Status {
    if (!plan_.layouts->compresses(layout)) return store_as_is(part, of_part);
    return compressor.store({part.first_piece, part.last_piece}, of_part, compressed_of(part), plan_.records,
                            [&](int number, Index file, Index offset, std::span<std::byte> run) {
                              counters_.stored_bytes += std::ssize(run);
                              return write(run, [this, number, file, offset](std::span<std::byte> copy) {
                                return files_.write_at(number, file, offset, copy);
                              });
                            });
  });
}

/// The part of a buffer that belongs to a layout without compression.
Status BufferStore::store_as_is(const BufferContent& content, std::span<std::byte> bytes) {
  encode(content, bytes);
  add_part_sums(content, bytes, nullptr);
  counters_.stored_bytes += content.size_bytes();
  return write(
      bytes, [this, begin = content.begin](std::span<std::byte> copy) { return files_.write(begin, copy); });
}

/// Converts samples to their stored form, and computes its checksums.
void BufferStore::encode(const BufferContent& content, std::span<std::byte> bytes) {
  const StepLayouts& layouts = *plan_.layouts;
  if (!layouts.has_checksums() && !layouts.has_encoding()) return;
  const Stopwatch watch;
  plan_.space.for_each_piece(content.first_piece, content.last_piece, [&](int layout, const Piece& piece) {
    const Index begin = plan_.space.first_position(layout) + piece.position_bytes - content.begin;
    const auto of_piece =
        bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(piece.size_bytes));
    layouts.encode(layout, piece, of_piece);
    if (layouts.has_heads(layout)) {
      PieceHead& head = plan_.cells->heads().at(plan_.space.first_ordinal(layout) + piece.ordinal);
      layouts.add_sums(layout, piece, of_piece, head);
    }
    if (!layouts.has_checksums()) return;
    plan_.records.at(plan_.space.first_ordinal(layout) + piece.ordinal).checksum =
        layouts.checksum(layout, piece, 0, of_piece);
  });
  counters_.checksum_s += watch.elapsed_s();
}

void BufferStore::add_part_sums(const BufferContent& content, std::span<const std::byte> bytes,
                                const SegmentList* own) {
  if (!plan_.layouts->sums_parts()) return;
  const Stopwatch watch;
  plan_.part_sums.add(*plan_.layouts, plan_.space, content, bytes, own);
  counters_.checksum_s += watch.elapsed_s();
}

}  // namespace esker
