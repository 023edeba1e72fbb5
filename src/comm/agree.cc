#include "comm/agree.h"

#include <array>
#include <cstring>
#include <map>
#include <vector>

#include "base/error.h"
#include "base/macros.h"

namespace esker {
namespace {

/// "end_step(step 3) on rank 2, close() on ranks 0, 1, 3 and 12 more"
Status describe_mismatch(Comm& comm, const Ballot& ballot) {
  const std::string mine = ballot.operation + "(" + ballot.arguments_text + ")";
  const auto all = comm.all_gather(std::as_bytes(std::span(mine)));
  std::map<std::string, std::vector<int>> ranks_of;
  for (std::size_t r = 0; r < all.size(); ++r) {
    ranks_of[std::string(reinterpret_cast<const char*>(all[r].data()), all[r].size())].push_back(
        static_cast<int>(r));
  }
  constexpr std::size_t kMaxListed = 8;
  std::string text;
  for (const auto& [call, ranks] : ranks_of) {
    const std::vector<int> listed(ranks.begin(), ranks.begin() + std::min(ranks.size(), kMaxListed));
    text += fmt::format("{}{} on rank{} {}", text.empty() ? "" : "; ", call, ranks.size() > 1 ? "s" : "",
                        fmt::join(listed, ", "));
    if (ranks.size() > kMaxListed) text += fmt::format(" and {} more", ranks.size() - kMaxListed);
  }
  return error(Code::kMismatchedCall, "ranks made different collective calls: {}", text);
}

/// The failing rank's code and text, on all ranks.
Status share_failure(Comm& comm, const Status& status, int failing_rank) {
  std::array<std::byte, sizeof(int)> code_bytes{};
  const int code = static_cast<int>(status.code());
  std::memcpy(code_bytes.data(), &code, sizeof(code));
  comm.broadcast(code_bytes, failing_rank);
  int shared = 0;
  std::memcpy(&shared, code_bytes.data(), sizeof(shared));
  const std::string text = broadcast_text(comm, status.message(), failing_rank);
  return error(static_cast<Code>(shared), "rank {}: {}", failing_rank, text);
}

}  // namespace

Result<Verdict> agree(Comm& comm, const Ballot& ballot) {
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
  // Before the arguments: a rank whose local call failed has other arguments for that reason.
  if (values[4] != 0) return share_failure(comm, ballot.status, comm.size() - static_cast<int>(values[4]));
  if (values[2] != ~values[3]) return describe_mismatch(comm, ballot);
  return Verdict{values[5] != 0};
}

Status agree(Comm& comm, const Status& status) {
  const auto verdict = agree(comm, Ballot{status, "", 0, "", false});
  return verdict.status();
}

std::uint64_t hash_text(std::uint64_t seed, const std::string& text) {
  std::uint64_t hash = seed ^ 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (hash ^ text.size()) * 0x100000001b3u;
}

}  // namespace esker
