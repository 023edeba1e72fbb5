#include "comm/agree.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/macros.h"
#include "comm/call_watch.h"
#include "comm/gather.h"
#include "comm/rank_list.h"
#include "comm/roll_call.h"

namespace esker {
namespace {

constexpr std::size_t kNumOwnValues = 8;  // of a ballot, before its numbers
static_assert(kNumOwnValues + kMostAgreedNumbers <= kMostMeetingValues);
constexpr std::string_view kMismatch = "ranks made different collective calls: ";

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// The lines after the first: name -> value.
std::map<std::string_view, std::string_view> named_values(std::string_view text) {
  std::map<std::string_view, std::string_view> values;
  text.remove_prefix(first_line(text).size());
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view line = first_line(text);
    text.remove_prefix(line.size());
    const std::size_t tab = std::min(line.find('\t'), line.size());
    values[line.substr(0, tab)] = line.substr(std::min(tab + 1, line.size()));
  }
  return values;
}

/// The first value that is not as on rank 0; empty if there is none.
std::string first_difference(std::string_view mine, std::string_view of_root) {
  const auto here = named_values(mine), there = named_values(of_root);
  auto names = here;
  names.insert(there.begin(), there.end());
  const auto value_in = [](const auto& values, std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string_view("none") : found->second;
  };
  for (const auto& [name, any] : names) {
    const std::string_view value = value_in(here, name), other = value_in(there, name);
    if (value != other) return fmt::format("{}: {}, on rank 0: {}", name, value, other);
  }
  return {};
}

/// A call with its short arguments; if it differs from that of rank 0 only in others, with the first of
/// these.
std::string describe_call(const Ballot& ballot, std::string_view arguments_of_root) {
  const std::string_view mine = ballot.arguments_text;
  std::string difference;
  if (first_line(mine) == first_line(arguments_of_root))
    difference = first_difference(mine, arguments_of_root);
  return fmt::format("{}({})", ballot.operation, difference.empty() ? first_line(mine) : difference);
}

Status describe_mismatch(Comm& comm, const Ballot& ballot) {
  std::string of_root, mine;
  ESKER_RETURN_IF_ERROR(all_do(comm, "describe a mismatch", [&] {
    of_root = ballot.arguments_text;
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(of_root, share_text(comm, std::move(of_root), 0));
  ESKER_RETURN_IF_ERROR(all_do(comm, "describe a mismatch", [&] {
    mine = describe_call(ballot, of_root);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(const Gathered all, gather(comm, std::as_bytes(std::span(mine))));
  std::map<std::string_view, std::vector<int>> ranks_of;
  for (std::size_t r = 0; r < all.of_rank.size(); ++r) {
    const auto bytes = all.of_rank[r];
    ranks_of[{reinterpret_cast<const char*>(bytes.data()), bytes.size()}].push_back(static_cast<int>(r));
  }
  return mismatch_error(ranks_of);
}

/// The wire format of a Status. Its size is fixed, so that receiving it does not allocate; longer texts are
/// cut.
struct Failure {
  Code code = Code::kOk;
  std::uint32_t length = 0;
  std::array<char, 8184> text{};
};

/// Gives all ranks the code and the text of the failing rank.
Status share_failure(Comm& comm, const Status& status, int failing_rank) {
  Failure failure{status.code()};
  failure.length =
      static_cast<std::uint32_t>(status.message().copy(failure.text.data(), failure.text.size()));
  comm.broadcast(std::as_writable_bytes(std::span(&failure, 1)), failing_rank);
  const std::string_view text(failure.text.data(), failure.length);
  const bool says_where = comm.size() == 1 || text.starts_with(kMismatch);  // a mismatch names the ranks
  if (says_where) return error(failure.code, "{}", text);
  return error(failure.code, "rank {}: {}", failing_rank, text);
}

/// Called after a meeting of ranks with short time limits. `met`: this rank was still waiting when all had
/// arrived. All ranks exchange that; ranks that have left do not wait for the answer. If any rank has left,
/// `comm` has ended.
Status find_who_left(Comm& comm, bool met) {
  constexpr double kAtOnce = 1e-9;
  std::array<std::uint64_t, 1> gone{met ? 0 : static_cast<std::uint64_t>(comm.size() - comm.rank())};
  (void)comm.meet_within(met ? 0 : kAtOnce, gone);
  if (gone[0] == 0) return {};
  const int rank = comm.size() - static_cast<int>(gone[0]);
  const Status why =
      error(Code::kCancelled,
            "rank {} has left: it closed or abandoned the dataset, or an exception left its writer's "
            "scope, and it did not wait any longer for the other ranks",
            rank);
  comm.end(why);
  return why;
}

}  // namespace

Status mismatch_error(const std::map<std::string_view, std::vector<int>>& ranks_of_call) {
  std::string text;
  for (const auto& [call, ranks] : ranks_of_call) {
    text += fmt::format("{}{} on {}", text.empty() ? "" : "; ", call, list_ranks(ranks));
  }
  return error(Code::kMismatchedCall, "{}{}", kMismatch, text);
}

Status agree(Comm& comm, const Ballot& ballot, bool* any_flag, bool* any_other_flag) {
  bool in_time = true;
  return agree_within(comm, ballot, 0, in_time, any_flag, any_other_flag);
}

Status agree_within(Comm& comm, const Ballot& ballot, double limit_s, bool& in_time, bool* any_flag,
                    bool* any_other_flag) {
  ESKER_RETURN_IF_ERROR(comm.ended());
  const bool opens = !ballot.operation.empty();
  if (opens && comm.call_watch()) {
    comm.call_watch()->describe(ballot.operation, first_line(ballot.arguments_text), ballot.arguments);
  }
  if (comm.roll_call() && opens && limit_s <= 0) {
    ESKER_RETURN_IF_ERROR(comm.roll_call()->call(comm, ballot.operation, first_line(ballot.arguments_text)));
  }
  const std::uint64_t operation = hash_text(0, ballot.operation);
  const auto lowness = static_cast<std::uint64_t>(comm.size() - comm.rank());
  // All values are equal if their maximum equals their minimum, which is the complement of a maximum.
  const bool leaves = ballot.patience_s > 0;
  std::array<std::uint64_t, kNumOwnValues + kMostAgreedNumbers> values{operation,
                                                                       ~operation,
                                                                       ballot.arguments,
                                                                       ~ballot.arguments,
                                                                       ballot.status.ok() ? 0 : lowness,
                                                                       ballot.flag ? 1u : 0u,
                                                                       leaves ? 1u : 0u,
                                                                       ballot.other_flag ? 1u : 0u};
  assert(ballot.most.size() <= kMostAgreedNumbers);
  const auto numbers = std::span(values).subspan(kNumOwnValues, ballot.most.size());
  std::copy(ballot.most.begin(), ballot.most.end(), numbers.begin());
  if (opens) {
    const bool met = comm.meet_within(leaves ? ballot.patience_s : limit_s, values);  // as long in all calls
    in_time = met || leaves;
    if (!in_time) return {};
    if (!met || values[6] != 0) ESKER_RETURN_IF_ERROR(find_who_left(comm, met));
  } else {
    comm.all_reduce_max(std::span(values).first(kNumOwnValues + numbers.size()));
  }
  std::copy(numbers.begin(), numbers.end(), ballot.most.begin());
  if (values[0] != ~values[1]) return describe_mismatch(comm, ballot);
  if (any_flag) *any_flag = values[5] != 0;
  if (any_other_flag) *any_other_flag = values[7] != 0;
  // Before the comparison of arguments: a rank whose local call failed has other arguments for that reason.
  if (values[4] != 0) return share_failure(comm, ballot.status, comm.size() - static_cast<int>(values[4]));
  if (values[2] != ~values[3]) return describe_mismatch(comm, ballot);
  return {};
}

Status agree(Comm& comm, const Status& status, std::span<std::uint64_t> most) {
  return agree(comm, Ballot{.status = status, .operation = "", .most = most});
}

std::uint64_t hash_text(std::uint64_t seed, std::string_view text) {
  std::uint64_t hash = seed ^ 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (hash ^ text.size()) * 0x100000001b3u;
}

}  // namespace esker
