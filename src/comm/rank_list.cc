#include "comm/rank_list.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace esker {

std::string list_ranks(const std::vector<int>& ranks) {
  constexpr std::size_t kMaxListed = 8;
  const std::vector<int> listed(ranks.begin(), ranks.begin() + std::min(ranks.size(), kMaxListed));
  std::string text = fmt::format("rank{} {}", ranks.size() > 1 ? "s" : "", fmt::join(listed, ", "));
  if (ranks.size() > kMaxListed) text += fmt::format(" and {} more", ranks.size() - kMaxListed);
  return text;
}

}  // namespace esker
