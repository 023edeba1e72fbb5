// Agreement: all ranks go on, or all ranks return the same error.
//
// Every collective call of Esker opens with agree(): one small all-reduce of fixed size, in which each rank
// says whether it is well, which operation it is in and with which arguments. An error of any rank becomes
// the error of all, with the text of the lowest failing rank; ranks that are in different operations, or in
// the same one with different arguments, are told so instead of waiting for each other.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "comm/comm.h"
#include "esker/status.hpp"

namespace esker {

/// What one rank brings to an agreement; it refers to the caller's texts.
struct Ballot {
  const Status& status;             ///< how this rank fares
  std::string_view operation;       ///< e.g. "end_step"; part of what is compared
  std::uint64_t arguments = 0;      ///< hash of what must be equal on all ranks
  std::string_view arguments_text;  ///< what the hash is of, for the message when it differs
  bool flag = false;                ///< "this rank wants something"
  /// Above 0, in an opening: this rank leaves when some other has not come after so many seconds, and the
  /// others learn of it when they come.
  double patience_s = 0;
};

/// Collective; the opening of a call unless `operation` is empty. Errors: comm.ended(), also because a rank
/// has left; that of the lowest failing rank, its text led by "rank R: "; kMismatchedCall. The same on all
/// ranks. `any_flag`, if given, tells whether some rank's flag was set; it is left alone when the ranks are
/// in different operations.
Status agree(Comm& comm, const Ballot& ballot, bool* any_flag = nullptr);

/// The same for an opening at which ranks may not come: false in `in_time`, and the rest is undefined, if
/// some rank has not come within `limit_s` seconds (0: waits for ever).
Status agree_within(Comm& comm, const Ballot& ballot, double limit_s, bool& in_time,
                    bool* any_flag = nullptr);

/// The same for a status alone, inside an operation that has been agreed on already.
Status agree(Comm& comm, const Status& status);

/// Runs `action` on this rank, and agrees on its Status or on what it threw: local work between collective
/// calls.
template <class Action>
Status all_do(Comm& comm, const char* what, const Action& action) {
  return agree(comm, guarded(what, action));
}

/// Runs `action` on rank 0 and gives its Status, or what it threw, to all ranks.
template <class Action>
Status root_does(Comm& comm, const char* what, const Action& action) {
  return all_do(comm, what, [&]() -> Status { return comm.rank() == 0 ? action() : Status(); });
}

/// kMismatchedCall, saying which ranks are in which call.
Status mismatch_error(const std::map<std::string_view, std::vector<int>>& ranks_of_call);

/// FNV-1a, for arguments: hash(hash(0, a), b).
std::uint64_t hash_text(std::uint64_t seed, std::string_view text);

}  // namespace esker
