#include "comm/agree.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/macros.h"
#include "comm/gather.h"
#include "comm/roll_call.h"

namespace esker {
namespace {

constexpr std::string_view kMismatch = "ranks made different collective calls: ";

/// "ranks 0, 1, 3 and 12 more"
std::string list_ranks(const std::vector<int>& ranks) {
  constexpr std::size_t kMaxListed = 8;
  const std::vector<int> listed(ranks.begin(), ranks.begin() + std::min(ranks.size(), kMaxListed));
  std::string text = fmt::format("rank{} {}", ranks.size() > 1 ? "s" : "", fmt::join(listed, ", "));
  if (ranks.size() > kMaxListed) text += fmt::format(" and {} more", ranks.size() - kMaxListed);
  return text;
}

Status describe_mismatch(Comm& comm, const Ballot& ballot) {
  std::string mine;
  ESKER_RETURN_IF_ERROR(all_do(comm, "describe a mismatch", [&] {
    mine = fmt::format("{}({})", ballot.operation, ballot.arguments_text);
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

/// A Status as it travels: nothing is allocated to receive it. Longer texts are cut.
struct Failure {
  Code code = Code::kOk;
  std::uint32_t length = 0;
  std::array<char, 8184> text{};
};

/// The failing rank's code and text, on all ranks.
Status share_failure(Comm& comm, const Status& status, int failing_rank) {
  Failure failure{status.code()};
  failure.length =
      static_cast<std::uint32_t>(status.message().copy(failure.text.data(), failure.text.size()));
  comm.broadcast(std::as_writable_bytes(std::span(&failure, 1)), failing_rank);
  const std::string_view text(failure.text.data(), failure.length);
  try {
    if (text.starts_with(kMismatch)) return error(failure.code, "{}", text);  // it names the ranks
    return error(failure.code, "rank {}: {}", failing_rank, text);
  } catch (const std::exception&) {
    return {failure.code, "out of memory"};  // short enough to need no allocation
  }
}

}  // namespace

Status mismatch_error(const std::map<std::string_view, std::vector<int>>& ranks_of_call) {
  std::string text;
  for (const auto& [call, ranks] : ranks_of_call) {
    text += fmt::format("{}{} on {}", text.empty() ? "" : "; ", call, list_ranks(ranks));
  }
  return error(Code::kMismatchedCall, "{}{}", kMismatch, text);
}

Status agree(Comm& comm, const Ballot& ballot, bool* any_flag) {
  ESKER_RETURN_IF_ERROR(comm.ended());
  if (comm.roll_call() && !ballot.operation.empty()) {
    ESKER_RETURN_IF_ERROR(comm.roll_call()->call(comm, ballot.operation, ballot.arguments_text));
  }
  const std::uint64_t operation = hash_text(0, ballot.operation);
  const auto lowness = static_cast<std::uint64_t>(comm.size() - comm.rank());
  // All are equal when maximum and minimum, which is the complement of a maximum, are.
  std::array<std::uint64_t, 6> values{operation,
                                      ~operation,
                                      ballot.arguments,
                                      ~ballot.arguments,
                                      ballot.status.ok() ? 0 : lowness,
                                      ballot.flag ? 1u : 0u};
  comm.all_reduce_max(values);
  if (values[0] != ~values[1]) return describe_mismatch(comm, ballot);
  if (any_flag) *any_flag = values[5] != 0;
  // Before the arguments: a rank whose local call failed has other arguments for that reason.
  if (values[4] != 0) return share_failure(comm, ballot.status, comm.size() - static_cast<int>(values[4]));
  if (values[2] != ~values[3]) return describe_mismatch(comm, ballot);
  return {};
}

Status agree(Comm& comm, const Status& status) { return agree(comm, Ballot{status, "", 0, "", false}); }

std::uint64_t hash_text(std::uint64_t seed, std::string_view text) {
  std::uint64_t hash = seed ^ 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (hash ^ text.size()) * 0x100000001b3u;
}

}  // namespace esker
