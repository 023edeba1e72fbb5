#include "transfer/wanted_runs.h"

#include "transfer/held_runs.h"

namespace esker {

/// Appends runs in order.
class WantedRuns::Finder {
 public:
  Finder(const PieceSpace& space, Index cheap_gap_bytes, std::vector<Run>& runs)
      : space_(space), cheap_gap_bytes_(cheap_gap_bytes), runs_(runs) {}

  /// Begins a round: a run is read to one buffer.
  void begin_round() { first_of_round_ = runs_.size(); }

  void add_piece(int number, const Piece& piece, const Distribution& holders) {
    const auto samples = static_cast<std::size_t>(piece.size_bytes / piece.sample_bytes);
    if (mask_.size() < samples) mask_.resize(samples);
    for_each_held_run(space_, number, piece, holders, mask_, [&](Index begin, Index end) {
      add(space_.first_position(number), space_.layout(number), {begin, end});
    });
  }

 private:
  /// Cuts a run where the file is not contiguous, or adds it to the one before it.
  void add(Index base, const Layout& layout, Run run) {
    while (run.begin < run.end) {
      const Layout::FileSpan span = layout.file_at(run.begin - base);
      const Run part{run.begin, std::min(run.end, base + span.end)};
      Run* const before = runs_.size() > first_of_round_ ? &runs_.back() : nullptr;
      const bool joins = before != nullptr && before->begin >= base + span.begin &&
                         part.begin - before->end < std::max<Index>(cheap_gap_bytes_, 1);
      if (joins) {
        before->end = part.end;
      } else {
        runs_.push_back(part);
      }
      run.begin = part.end;
    }
  }

  const PieceSpace& space_;
  Index cheap_gap_bytes_;
  std::vector<Run>& runs_;
  std::size_t first_of_round_ = 0;
  std::vector<std::byte> mask_;  // of one piece
};

WantedRuns::WantedRuns(const Plan& plan, const PieceSpace& space,
                       std::span<const std::shared_ptr<const Distribution>> holders, Index cheap_gap_bytes) {
  Finder finder(space, cheap_gap_bytes, runs_);
  for (const Round& round : plan.rounds) {
    first_.push_back(runs_.size());
    finder.begin_round();
    space.for_each_piece(round.content.first_piece, round.content.last_piece,
                         [&](int layout, const Piece& piece) {
                           finder.add_piece(layout, piece, *holders[static_cast<std::size_t>(layout)]);
                         });
  }
  first_.push_back(runs_.size());
}

}  // namespace esker
