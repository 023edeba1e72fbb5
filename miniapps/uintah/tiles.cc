#include "tiles.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace uintah {
namespace {

/// Interleaves the bits of three coordinates below 2^21.
std::uint64_t morton(const Point& p) {
  std::uint64_t code = 0;
  for (int bit = 0; bit < 21; ++bit) {
    for (int a = 0; a < 3; ++a) {
      code |= ((static_cast<std::uint64_t>(p[a]) >> bit) & 1U) << (3 * bit + a);
    }
  }
  return code;
}

}  // namespace

Tiles::Tiles(const Box& domain, Index edge) : domain_(domain), grid_(domain), edge_(edge) {
  for (int a = 0; a < 3; ++a) grid_.hi[a] = (domain.hi[a] + edge - 1) / edge;
  exists_.resize(grid_.num_samples(), 0);
}

Index Tiles::number_of(const Point& tile) const {
  return tile[0] + grid_.hi[0] * (tile[1] + grid_.hi[1] * tile[2]);
}

Box Tiles::box_of(const Point& tile) const {
  Box box = domain_;
  for (int a = 0; a < 3; ++a) {
    box.lo[a] = tile[a] * edge_;
    box.hi[a] = std::min(box.lo[a] + edge_, domain_.hi[a]);
  }
  return box;
}

Box Tiles::touched_by(const Box& cells) const {
  Box tiles = intersect(cells, domain_);
  for (int a = 0; a < 3; ++a) {
    tiles.lo[a] /= edge_;
    tiles.hi[a] = (tiles.hi[a] + edge_ - 1) / edge_;
  }
  return tiles;
}

bool Tiles::hold(const Point& at) const {
  Point tile{};
  for (int a = 0; a < 3; ++a) tile[a] = at[a] / edge_;
  return exists(tile);
}

std::vector<Box> Tiles::patches() const {
  std::vector<std::pair<std::uint64_t, Point>> ordered;
  for_each_point(grid_, [&](const Point& tile) {
    if (exists(tile)) ordered.emplace_back(morton(tile), tile);
  });
  std::sort(ordered.begin(), ordered.end());
  std::vector<Box> boxes;
  boxes.reserve(ordered.size());
  for (const auto& [code, tile] : ordered) boxes.push_back(box_of(tile));
  return boxes;
}

}  // namespace uintah
