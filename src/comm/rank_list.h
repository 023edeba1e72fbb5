// list_ranks: a list of ranks as text.
#pragma once

#include <string>
#include <vector>

namespace esker {

/// "rank 3", "ranks 0, 1, 3 and 12 more": lists the first eight.
std::string list_ranks(const std::vector<int>& ranks);

}  // namespace esker
