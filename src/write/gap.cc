#include "write/gap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/macros.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "comm/rank_list.h"

namespace esker {
namespace {

/// The defect that the lowest rank with a defect has found, as sent to the others.
struct FirstDefect {
  Index list = 0, is_gap = 0;
  Point lo{}, hi{};
};

FirstDefect share_first_defect(Comm& comm, const std::optional<DirectoryDefect>& mine) {
  std::array<std::uint64_t, 1> most{mine ? static_cast<std::uint64_t>(comm.size() - comm.rank()) : 0};
  comm.all_reduce_max(most);
  FirstDefect first;
  if (mine) first = {mine->list, mine->first ? 0 : 1, mine->where.lo, mine->where.hi};
  comm.broadcast(std::as_writable_bytes(std::span(&first, 1)), comm.size() - static_cast<int>(most[0]));
  return first;
}

/// Whether the two overlap on all axes but `axis`.
bool overlap_on_other_axes(const Box& a, const Box& b, int axis) {
  for (int other = 0; other < a.rank; ++other) {
    if (other != axis && (a.hi[other] <= b.lo[other] || b.hi[other] <= a.lo[other])) return false;
  }
  return true;
}

}  // namespace

void grow_gap(Comm& comm, const Box& domain, const std::vector<Box>& mine, Box& gap) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  for (int a = 0; a < gap.rank; ++a) {
    Index low = domain.lo[a], high = domain.hi[a];
    for (const Box& box : mine) {
      if (box.empty() || !overlap_on_other_axes(box, gap, a)) continue;
      if (box.hi[a] <= gap.lo[a]) low = std::max(low, box.hi[a]);
      if (box.lo[a] >= gap.hi[a]) high = std::min(high, box.lo[a]);
    }
    std::array<std::uint64_t, 2> limits{static_cast<std::uint64_t>(low),
                                        kTop - static_cast<std::uint64_t>(high)};
    comm.all_reduce_max(limits);
    gap.lo[a] = static_cast<Index>(limits[0]);
    gap.hi[a] = static_cast<Index>(kTop - limits[1]);
  }
}

Result<std::optional<std::string>> describe_gap(Comm& comm, const Schema& schema,
                                                const std::vector<BoxList>& mine,
                                                const std::vector<int>& first_field,
                                                const Directory& directory) {
  const FirstDefect first = share_first_defect(comm, directory.defect());
  if (first.is_gap == 0) return std::optional<std::string>();
  const BoxList& list = mine[static_cast<std::size_t>(first.list)];
  Box gap(list.domain.rank, first.lo, first.hi);
  grow_gap(comm, list.domain, list.boxes, gap);
  const bool has_none =
      std::all_of(list.boxes.begin(), list.boxes.end(), [](const Box& box) { return box.empty(); });
  const auto flag = static_cast<std::byte>(has_none ? 1 : 0);
  ESKER_ASSIGN_OR_RETURN(const Gathered flags, gather(comm, std::span(&flag, 1)));
  std::optional<std::string> text;
  ESKER_RETURN_IF_ERROR(all_do(comm, "share boxes", [&] {
    std::vector<int> without;
    for (std::size_t r = 0; r < flags.of_rank.size(); ++r) {
      if (flags.of_rank[r][0] != std::byte{0}) without.push_back(static_cast<int>(r));
    }
    const int number = first_field[static_cast<std::size_t>(first.list)];
    const Field& field = schema.fields()[static_cast<std::size_t>(number)];
    text = fmt::format(
        "field '{}': no rank put the samples {}{}; together the ranks' patches must cover the grid {} "
        "exactly once",
        field.name, gap.to_string(), without.empty() ? "" : "; no samples came from " + list_ranks(without),
        list.domain.to_string());
    return Status();
  }));
  return text;
}

}  // namespace esker
