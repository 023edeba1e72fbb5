#include "layout/chunk_choice.h"

#include <algorithm>

#include "base/checked.h"

namespace esker {
namespace {

constexpr Index kWorthIt = 50;  // smaller chunks are used if they save more than a 50th of the bytes

}  // namespace

Point choose_chunk(const Box& grid, Index sample_bytes, const ChunkBytes& limits) {
  Point chunk = grid.extents();
  Index bytes = grid.num_samples() * sample_bytes;
  for (int a = grid.rank; a-- > 0 && bytes > limits.most;) {
    const Index plane_bytes = bytes / chunk[a];
    const Index extent = chunk[a];
    const Index most = std::clamp<Index>(limits.most / plane_bytes, 1, extent);
    const Index least = std::min(div_up(limits.least, plane_bytes), most);
    const auto stored = [&](Index planes) { return round_up(extent, planes); };
    chunk[a] = most;
    for (Index planes = most - 1; planes >= least; --planes) {
      if (stored(chunk[a]) - stored(planes) > extent / kWorthIt) chunk[a] = planes;
    }
    bytes = plane_bytes * chunk[a];
  }
  return chunk;
}

Point choose_brick(const Box& grid, Index sample_bytes, Index most_bytes) {
  Point brick = grid.extents();
  while (Box::from_extent(grid.rank, brick).num_samples() > std::max<Index>(1, most_bytes / sample_bytes)) {
    int longest = grid.rank - 1;
    for (int a = longest; a-- > 0;) {
      if (brick[a] > brick[longest]) longest = a;
    }
    brick[longest] = div_up(brick[longest], 2);
  }
  return brick;
}

}  // namespace esker
