// RollCall: finds the ranks that never make the collective call that the others are in, instead of waiting
// for them.
//
// For debugging (option call_timeout): at each opening rank 0 exchanges control messages with every rank.
// Rank 0 calls; the others answer with the call that they are in; then rank 0 decides whether all continue.
// Only rank 0 decides, so that no rank continues where another has given up. If rank 0 is missing, each of
// the other ranks gives up separately.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "comm/comm.h"
#include "esker/types/status.hpp"

namespace esker {

class RollCall : public std::enable_shared_from_this<RollCall> {
 public:
  /// `limit_s`: the time to wait for others, the same on all ranks. Local.
  RollCall(int n_ranks, double limit_s);

  /// Returns when all ranks have arrived. Otherwise the ranks that have arrived get kMismatchedCall, which
  /// names their calls and the missing ranks. The error is the same on all of them unless rank 0 is missing.
  /// `comm` has ended then and is unusable.
  Status call(Comm& comm, std::string_view operation, std::string_view arguments);

 private:
  enum class Kind : std::uint32_t { kCall, kHere, kGo, kStop };
  struct Message {
    Kind kind = Kind::kCall;
    std::uint32_t length = 0;
    std::array<char, 1016> text{};
    [[nodiscard]] std::string_view view() const { return {text.data(), length}; }
  };
  static Message make_message(Kind kind, std::string_view text);

  Status ask_all(Comm& comm);
  Status answer(Comm& comm, std::string_view operation);
  [[nodiscard]] Status describe() const;
  Status give_up(Comm& comm, Status why);
  /// Returns whether a message arrived in time. Without `limited` it waits forever.
  bool take(Comm& comm, Message& message, int& from, bool limited);

  double limit_s_;
  double deadline_s_ = 0;
  Message call_, mine_, verdict_;  // being sent
  std::vector<Message> answers_;   // of each rank; length 0: not received yet
  std::shared_ptr<RollCall> kept_;
};

/// The opening of a call before which ranks cannot know whether roll calls are enabled. Returns when all
/// ranks have arrived. Ranks that have waited `limit_s` (0: forever; it may differ) get kMismatchedCall, and
/// `comm` has ended. Collective.
Status wait_for_all(Comm& comm, std::string_view operation, double limit_s);

}  // namespace esker
