#include "comm/gather.h"

#include <numeric>

namespace esker {

Result<Gathered> gather(Comm& comm, std::span<const std::byte> mine) {
  Gathered gathered;
  std::vector<std::uint64_t> lengths;
  const auto size = static_cast<std::size_t>(comm.size());
  ESKER_RETURN_IF_ERROR(all_do(comm, "gather", [&] {
    lengths.resize(size);
    gathered.of_rank.resize(size);
    return Status();
  }));
  comm.all_gather(mine.size(), lengths);
  const std::uint64_t total = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  ESKER_RETURN_IF_ERROR(all_do(comm, "gather", [&] {
    gathered.joined.reset(new std::byte[total]);
    return Status();
  }));
  comm.all_gather(mine, lengths, {gathered.joined.get(), total});
  const std::byte* next = gathered.joined.get();
  for (std::size_t r = 0; r < size; next += lengths[r], ++r) gathered.of_rank[r] = {next, lengths[r]};
  return gathered;
}

Result<std::string> share_text(Comm& comm, std::string text, int root) {
  ESKER_RETURN_IF_ERROR(share(comm, text, root));
  return text;
}

}  // namespace esker
