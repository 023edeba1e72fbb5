// Agreement: all ranks continue, or all ranks return the same error.
//
// Every collective call of Esker opens with agree(), one small all-reduce of fixed size. In it each rank
// states its status, the operation that it is in and the arguments of that operation. An error of any rank
// becomes the error of all ranks, with the text of the lowest failing rank. Ranks that are in different
// operations, or in the same operation with different arguments, get an error instead of waiting for each
// other.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "comm/comm.h"
#include "esker/types/status.hpp"

namespace esker {

/// The contribution of one rank to an agreement. It refers to the caller's texts.
struct Ballot {
  const Status& status;         ///< of this rank
  std::string_view operation;   ///< e.g. "end_step"; compared between ranks
  std::uint64_t arguments = 0;  ///< hash of the values that must be equal on all ranks
  /// The hashed values as text, for the message when they differ. A line with all values that are short, then
  /// lines of a name, a tab and a value; the message shows the first line that differs from that of rank 0.
  std::string_view arguments_text = {};
  bool flag = false;  ///< a request of this rank
  /// Above 0, in an opening: this rank leaves when another rank has not arrived after this many seconds. The
  /// late ranks learn that when they arrive.
  double patience_s = 0;
  bool other_flag = false;  ///< a second request
  /// Numbers that the ranks agree on, too: replaced by the element-wise maxima over the ranks. The same
  /// length on all ranks, at most kMostAgreedNumbers. After an error they are unspecified.
  std::span<std::uint64_t> most = {};
};

inline constexpr std::size_t kMostAgreedNumbers = 8;

/// Collective. Opens a call unless `operation` is empty. Errors: comm.ended(), also because a rank has left;
/// the error of the lowest failing rank R, its text prefixed by "rank R: " if there are several ranks;
/// kMismatchedCall. The same on all ranks. `any_flag` and `any_other_flag`, if given, are set to whether any
/// rank's flag is set. They are unchanged when the ranks are in different operations.
Status agree(Comm& comm, const Ballot& ballot, bool* any_flag = nullptr, bool* any_other_flag = nullptr);

/// The same for an opening at which some ranks may not arrive. If a rank has not arrived within `limit_s`
/// seconds (0: waits forever), `in_time` is false and the rest is undefined.
Status agree_within(Comm& comm, const Ballot& ballot, double limit_s, bool& in_time, bool* any_flag = nullptr,
                    bool* any_other_flag = nullptr);

/// The same for a status alone, or with Ballot::most, inside an operation that the ranks have already agreed
/// on.
Status agree(Comm& comm, const Status& status, std::span<std::uint64_t> most = {});

/// Runs `action` on this rank and agrees on its Status or on the exception that it threw. For local work
/// between collective calls.
template <class Action>
Status all_do(Comm& comm, const char* what, const Action& action) {
  return agree(comm, guarded(what, action));
}
/// `action` also sets the numbers `most`, see Ballot.
template <class Action>
Status all_do(Comm& comm, const char* what, std::span<std::uint64_t> most, const Action& action) {
  return agree(comm, guarded(what, action), most);
}

/// Runs `action` on rank 0 and gives its Status, or the exception that it threw, to all ranks.
template <class Action>
Status root_does(Comm& comm, const char* what, const Action& action) {
  return all_do(comm, what, [&]() -> Status { return comm.rank() == 0 ? action() : Status(); });
}

/// kMismatchedCall. The message lists the ranks of each call.
Status mismatch_error(const std::map<std::string_view, std::vector<int>>& ranks_of_call);

/// FNV-1a, for arguments: hash(hash(0, a), b).
std::uint64_t hash_text(std::uint64_t seed, std::string_view text);

}  // namespace esker
