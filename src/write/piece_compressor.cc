#include "write/piece_compressor.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/checked.h"
#include "base/macros.h"
#include "base/run_tasks.h"

namespace esker {
namespace {

constexpr std::uint64_t kBeginsFile = std::uint64_t{1} << 63;

void set_raw(std::uint32_t form, const Piece& piece, PieceRecord& record) {
  record.size_bytes = static_cast<std::uint32_t>(piece.size_bytes);
  record.form = form;
  record.max_error = record.rms_error = 0;
}

}  // namespace

std::uint64_t PieceCompressor::Extent::packed() const {
  return static_cast<std::uint64_t>(bytes) | (begins_file ? kBeginsFile : 0);
}

PieceCompressor::Extent PieceCompressor::Extent::unpack(std::uint64_t packed) {
  return {(packed & kBeginsFile) != 0, static_cast<Index>(packed & ~kBeginsFile)};
}

Index PieceCompressor::size_bytes(const StepLayouts& layouts, int threads) {
  return layouts.compresses() ? threads * layouts.compress_scratch_bytes() : 0;
}

PieceCompressor::PieceCompressor(const StepLayouts& layouts, const PieceSpace& space, int threads)
    : layouts_(layouts),
      space_(space),
      threads_(threads),
      scratch_bytes_(static_cast<std::size_t>(layouts.compress_scratch_bytes())),
      scratch_(static_cast<std::size_t>(threads) * scratch_bytes_) {}

// A rank whose memory is short fails after the collective call, which the others would wait in.
void PieceCompressor::connect(Comm& comm, const Plan& plan) {
  if (plan.largest_group == 1) return;
  const bool has_others = plan.group.n_members > 1;
  group_ = comm.split(has_others ? plan.group.number : -1, plan.group.member);
  extents_.resize(static_cast<std::size_t>(has_others ? plan.group.n_members : 0));
}

void PieceCompressor::begin_step(Index step) {
  step_ = step;
  end_bytes_ = 0;
}

/// Whether the piece is stored as its samples.
bool PieceCompressor::is_raw(int layout, const Piece& piece, const PieceRecord& record) const {
  return record.size_bytes == piece.size_bytes && layouts_.compressed_room(layout, piece) == piece.size_bytes;
}

template <class Visit>
void PieceCompressor::for_each_piece(const Ownership::Pieces& pieces, const Visit& visit) const {
  Index file_end = 0;  // position
  space_.for_each_piece(pieces.first, pieces.last, [&](int number, const Piece& piece) {
    if (!layouts_.compresses(number)) return;
    const Index base = space_.first_position(number);
    const Index position = base + piece.position_bytes;
    Index data_offset = -1;
    if (position >= file_end) {
      const Layout::FileSpan file = space_.file_at(position);
      file_end = file.end;
      if (file.begin == position) {
        data_offset = end_of_stored(file.data_offset_bytes + layouts_.step_offset_bytes(number, step_), 0);
      }
    }
    visit(space_.first_ordinal(number) + piece.ordinal, piece, data_offset);
  });
}

Status PieceCompressor::compress(const Ownership::Pieces& pieces, const RawPieces& raw,
                                 std::span<const std::byte> samples, std::span<std::byte> compressed,
                                 PieceRecords& records) {
  const Index begin = space_.position_bytes(pieces.first);
  std::atomic<std::size_t> num_workers = 0;
  const auto make_worker = [&]() -> Worker {
    const auto scratch = std::span(scratch_).subspan(num_workers++ * scratch_bytes_, scratch_bytes_);
    return [&, scratch](Index task) -> Status {
      const Index number = pieces.first + task;
      const int layout = space_.layout_of(number);
      const Piece piece = space_.piece(number);
      const auto at = static_cast<std::size_t>(space_.position_bytes(number) - begin);
      const auto size = static_cast<std::size_t>(piece.size_bytes);
      const auto stored =
          compressed.subspan(at, static_cast<std::size_t>(layouts_.compressed_room(layout, piece)));
      PieceRecord& record = records.at(number);
      if (raw.skips(number)) {
        set_raw(layouts_.raw_form(layout, piece).value(), piece, record);
      } else {
        ESKER_RETURN_IF_ERROR(
            layouts_.compress(layout, piece, samples.subspan(at, size), stored, scratch, record));
      }
      const std::span<const std::byte> as_stored =
          is_raw(layout, piece, record) ? samples.subspan(at, size) : stored.first(record.size_bytes);
      record.checksum = layouts_.checksum(layout, piece, record.form, as_stored);
      return Status();
    };
  };
  return run_tasks(pieces.last - pieces.first, threads_, make_worker, nullptr);
}

PieceCompressor::Extent PieceCompressor::extent_of(const Ownership::Pieces& pieces, bool has_failed,
                                                   PieceRecords& records) const {
  Extent extent;
  for_each_piece(pieces, [&](Index number, const Piece& piece, Index data_offset) {
    if (data_offset >= 0) extent = {true, data_offset};
    const Index size = has_failed ? piece.size_bytes : records.at(number).size_bytes;
    extent.bytes = end_of_stored(extent.bytes, size);
  });
  return extent;
}

void PieceCompressor::place(const Ownership::Pieces& pieces, bool has_failed, PieceRecords& records) {
  const Extent mine = extent_of(pieces, has_failed, records);
  Index end = end_bytes_;
  if (group_) {
    group_->all_gather(mine.packed(), extents_);
    for (int member = 0; member < group_->size(); ++member) {
      if (member == group_->rank()) end = end_bytes_;
      end_bytes_ = Extent::unpack(extents_[static_cast<std::size_t>(member)]).end_after(end_bytes_);
    }
  } else {
    end_bytes_ = mine.end_after(end_bytes_);
  }
  if (has_failed) return;
  for_each_piece(pieces, [&](Index number, const Piece& /*piece*/, Index data_offset) {
    if (data_offset >= 0) end = data_offset;
    PieceRecord& record = records.at(number);
    record.offset_bytes = end;
    end = end_of_stored(end, record.size_bytes);
  });
}

// No piece becomes larger than its room, so the stored bytes of a run fit where its samples were. Raw pieces
// in front of the first one that shrank are not copied.
Status PieceCompressor::store(const Ownership::Pieces& pieces, std::span<std::byte> samples,
                              std::span<const std::byte> compressed, const PieceRecords& records,
                              const StoreRun& store_run) const {
  const Index begin = space_.position_bytes(pieces.first);
  std::size_t run_begin = 0, run_end = 0;  // in `samples`
  int layout = 0;
  Piece last;
  Index offset = 0;  // of the run in its file
  const auto flush = [&]() -> Status {
    if (run_begin == run_end) return {};
    return store_run(layout, last.file, offset, samples.subspan(run_begin, run_end - run_begin));
  };
  Status status;
  space_.for_each_piece(pieces.first, pieces.last, [&](int number, const Piece& piece) {
    if (!status.ok()) return;
    const PieceRecord& record = records.at(space_.first_ordinal(number) + piece.ordinal);
    const auto at = static_cast<std::size_t>(space_.first_position(number) + piece.position_bytes - begin);
    if (run_begin == run_end || piece.file != last.file || !space_.share_a_file(number, layout)) {
      status = flush();
      run_begin = run_end = at;
      offset = record.offset_bytes;
    }
    layout = number;
    last = piece;
    const auto size = static_cast<std::size_t>(record.size_bytes);
    const auto padded = static_cast<std::size_t>(end_of_stored(0, record.size_bytes));
    const std::byte* from = is_raw(number, piece, record) ? samples.data() + at : compressed.data() + at;
    if (from != samples.data() + run_end) std::memmove(samples.data() + run_end, from, size);
    std::memset(samples.data() + run_end + size, 0, padded - size);
    run_end += padded;
  });
  return status.ok() ? flush() : status;
}

}  // namespace esker
