// RollCall: finds the ranks that never make the collective call the others are in, instead of waiting for
// them.
//
// For programs under suspicion (option call_timeout): rank 0 hears from every rank at each opening. Rank 0
// calls; the others answer, with what they are in; then rank 0 says whether all go on. It alone decides, so
// that no rank goes on where another has given up. Without rank 0 each of the others gives up by itself.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "comm/comm.h"
#include "esker/status.hpp"

namespace esker {

class RollCall : public std::enable_shared_from_this<RollCall> {
 public:
  /// `limit_s`: how long to wait for others, the same on all ranks. Local.
  RollCall(int n_ranks, double limit_s);

  /// Returns when all ranks have come; or, on those that have, kMismatchedCall, naming the calls that they
  /// are in and the ranks that have not come: the same on all, unless it is rank 0 that has not. `comm` is of
  /// no use then, and has ended.
  Status call(Comm& comm, std::string_view operation, std::string_view arguments);

 private:
  enum class Kind : std::uint32_t { kCall, kHere, kGo, kStop };
  struct Note {
    Kind kind = Kind::kCall;
    std::uint32_t length = 0;
    std::array<char, 1016> text{};
    [[nodiscard]] std::string_view view() const { return {text.data(), length}; }
  };
  static Note make_note(Kind kind, std::string_view text);

  Status ask_all(Comm& comm);
  Status answer(Comm& comm, std::string_view operation);
  [[nodiscard]] Status describe() const;
  Status give_up(Comm& comm, Status why);
  /// Whether a note came in time; `limited`: else it waits for ever.
  bool take(Comm& comm, Note& note, int& from, bool limited);

  double limit_s_;
  double deadline_s_ = 0;
  Note call_, mine_, verdict_;  // on their way
  std::vector<Note> answers_;   // of each rank; length 0: none yet
  std::shared_ptr<RollCall> kept_;
};

/// The opening of a call before which ranks cannot know whether there are roll calls: returns when all have
/// come; or, on those that have waited `limit_s` (0: for ever; it may differ), kMismatchedCall, and `comm`
/// has ended. Collective.
Status wait_for_all(Comm& comm, std::string_view operation, double limit_s);

}  // namespace esker
