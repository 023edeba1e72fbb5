#include "write/raw_pieces.h"

#include <algorithm>

#include "base/guarded.h"
#include "base/macros.h"

namespace esker {

namespace {

/// The pieces that this rank stores, if any layout has pieces that may be skipped.
std::vector<Ownership::Pieces> pieces_of(const StepLayouts& layouts, const Plan& plan) {
  for (std::size_t n = 0; n < layouts.layouts.size(); ++n) {
    if (layouts.raw_headers_bytes(static_cast<int>(n)) > 0) return plan.owned;
  }
  return {};
}

}  // namespace

RawPieces::RawPieces(const StepLayouts& layouts, const PieceSpace& space, const Plan& plan)
    : layouts_(&layouts),
      space_(&space),
      numbers_(pieces_of(layouts, plan)),
      before_(numbers_.size()),
      last_(numbers_.size()) {}

void RawPieces::begin_step(Store& store, const Place& place) {
  skips_ = numbers_.size() > 0 && place.step >= 2 && place.step % kTryEvery != 0;
  if (seen_ != place) num_seen_ = 0;
  seen_ = place;
  if (!skips_ || num_seen_ == 2) return;
  read(store, place.step - 2, before_);
  read(store, place.step - 1, last_);
  num_seen_ = 2;
}

Index RawPieces::num_skipped() const {
  Index number = 0;
  for (std::size_t n = 0; skips_ && n < numbers_.size(); ++n) number += is_raw_twice(n) ? 1 : 0;
  return number;
}

void RawPieces::end_step(const PieceRecords& records) {
  before_.swap(last_);
  numbers_.for_each_run([&](const Ownership::Pieces& pieces) {
    space_->for_each_piece(pieces.first, pieces.last, [&](int layout, const Piece& piece) {
      const Index number = space_->first_ordinal(layout) + piece.ordinal;
      last_[numbers_.of(number)] = layouts_->raw_form(layout, piece).has_value() &&
                                   Index{records.at(number).size_bytes} == piece.size_bytes;
    });
  });
  ++seen_.step;
  num_seen_ = std::min(num_seen_ + 1, 2);
}

/// Sets the bits of the pieces that a committed step stores raw.
void RawPieces::read(Store& store, Index step, std::vector<bool>& raw) const {
  std::fill(raw.begin(), raw.end(), false);
  std::vector<Ownership::Pieces> of_file;
  Index file_end = 0;  // position
  const auto read_them = [&] {
    if (!of_file.empty()) (void)guarded("read", [&] { return read_file(store, step, of_file, raw); });
    of_file.clear();
  };
  (void)guarded("read", [&] {
    numbers_.for_each_run([&](Ownership::Pieces run) {
      while (run.first < run.last) {
        const Layout::FileSpan file = space_->file_at(space_->position_bytes(run.first));
        const Index end = std::min(run.last, space_->first_piece_from(file.end));
        if (space_->position_bytes(run.first) >= file_end) read_them();
        of_file.push_back({run.first, end});
        file_end = file.end;
        run.first = end;
      }
    });
    read_them();
    return Status();
  });
}

/// `pieces` are all in one file.
Status RawPieces::read_file(Store& store, Index step, std::span<const Ownership::Pieces> pieces,
                            std::vector<bool>& raw) const {
  const Index first = pieces.front().first;
  const int layout = space_->layout_of(first);
  std::vector<std::byte> headers(static_cast<std::size_t>(layouts_->raw_headers_bytes(layout)));
  if (headers.empty()) return {};
  ESKER_ASSIGN_OR_RETURN(
      const auto file,
      store.open(layouts_->file_path(layout, space_->piece(first).file, step), OpenMode::kRead));
  ESKER_RETURN_IF_ERROR(file->read_at(headers, 0));
  const Index base = space_->first_ordinal(layout);
  for (const Ownership::Pieces& run : pieces) {
    ESKER_RETURN_IF_ERROR(
        layouts_->find_raw(layout, {run.first - base, run.last - base}, headers,
                           [&](const Piece& piece) { raw[numbers_.of(base + piece.ordinal)] = true; }));
  }
  return {};
}

}  // namespace esker
