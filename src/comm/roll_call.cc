#include "comm/roll_call.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"

namespace esker {
namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

RollCall::RollCall(int n_ranks, double limit_s)
    : limit_s_(limit_s), answers_(static_cast<std::size_t>(n_ranks)) {}

RollCall::Message RollCall::make_message(Kind kind, std::string_view text) {
  Message message;
  message.kind = kind;
  message.length = static_cast<std::uint32_t>(text.copy(message.text.data(), message.text.size()));
  return message;
}

Status RollCall::call(Comm& comm, std::string_view operation, std::string_view arguments) {
  if (comm.size() == 1) return {};
  deadline_s_ = now_s() + limit_s_;
  mine_ = make_message(Kind::kHere, fmt::format("{}({})", operation, arguments));
  return comm.rank() == 0 ? ask_all(comm) : answer(comm, operation);
}

Status RollCall::ask_all(Comm& comm) {
  const int size = comm.size();
  for (Message& answer : answers_) answer.length = 0;
  answers_[0] = mine_;
  call_ = make_message(Kind::kCall, "");
  for (int r = 1; r < size; ++r) comm.start_control(std::as_bytes(std::span(&call_, 1)), r);
  Message message;
  int missing = size - 1;
  for (int from = 0; missing > 0 && take(comm, message, from, true); --missing) {
    answers_[static_cast<std::size_t>(from)] = message;
  }
  const Status status = missing == 0 ? Status() : describe();
  verdict_ = make_message(status.ok() ? Kind::kGo : Kind::kStop, status.message());
  for (int r = 1; r < size; ++r) comm.start_control(std::as_bytes(std::span(&verdict_, 1)), r);
  if (!status.ok()) return give_up(comm, {status.code(), std::string(verdict_.view())});
  comm.finish_controls();
  return {};
}

Status RollCall::answer(Comm& comm, std::string_view operation) {
  Message message;
  int from = 0;
  if (!take(comm, message, from, true)) {
    return give_up(comm,
                   error(Code::kMismatchedCall,
                         "ranks made different collective calls: {} here; none within {} s on rank 0, and "
                         "perhaps on others",
                         operation, limit_s_));
  }
  comm.start_control(std::as_bytes(std::span(&mine_, 1)), 0);
  (void)take(comm, message, from, false);
  if (message.kind == Kind::kStop) return give_up(comm, {Code::kMismatchedCall, std::string(message.view())});
  comm.finish_controls();
  return {};
}

Status RollCall::describe() const {
  const std::string missing = fmt::format("none within {} s", limit_s_);
  std::map<std::string_view, std::vector<int>> ranks_of;
  for (std::size_t r = 0; r < answers_.size(); ++r) {
    ranks_of[answers_[r].length > 0 ? answers_[r].view() : missing].push_back(static_cast<int>(r));
  }
  return mismatch_error(ranks_of);
}

// The object keeps itself alive, because it contains messages that other ranks may not have received yet.
Status RollCall::give_up(Comm& comm, Status why) {
  kept_ = shared_from_this();
  comm.end(why);
  return why;
}

bool RollCall::take(Comm& comm, Message& message, int& from, bool limited) {
  constexpr auto kLongest = std::chrono::microseconds(2000);
  for (auto pause = std::chrono::microseconds(20);; pause = std::min(2 * pause, kLongest)) {
    from = comm.take_control(std::as_writable_bytes(std::span(&message, 1)));
    if (from >= 0) return true;
    if (limited && now_s() > deadline_s_) return false;
    std::this_thread::sleep_for(pause);
  }
}

// Two meetings, unless no rank has a limit: a rank that arrives after others have given up completes the
// first one alone, and gives up in the second. A rank that stalls for longer than the limit between the two
// can still leave others waiting.
Status wait_for_all(Comm& comm, std::string_view operation, double limit_s) {
  ESKER_RETURN_IF_ERROR(comm.ended());
  bool in_time = true;
  std::array<std::uint64_t, 1> any_limit{limit_s > 0 ? 1u : 0u};
  for (int meeting = 0; meeting < 2 && in_time; ++meeting) {
    const Ballot ballot{.status = Status(), .operation = operation, .most = any_limit};
    ESKER_RETURN_IF_ERROR(agree_within(comm, ballot, limit_s, in_time));
    if (any_limit[0] == 0) break;
  }
  if (in_time) return {};
  Status late = error(Code::kMismatchedCall,
                      "ranks made different collective calls: {} here; none within {} s on some other rank",
                      operation, limit_s);
  comm.end(late);
  return late;
}

}  // namespace esker
