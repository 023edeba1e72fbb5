#include "layout/row_tiles.h"

#include <algorithm>

#include "base/checked.h"
#include "layout/places.h"

namespace esker {

// Complete on the axes below the one along which the rows of a plane are split; single indices above it.
RowTiles::RowTiles(int rank, const Point& extent, Index most_samples, const Planes& planes)
    : array_(Box::from_extent(rank, extent)), plane_axis_(planes.axis > 0 ? planes.axis : kMaxRank) {
  Index room = std::max<Index>(1, most_samples);  // of a plane
  if (plane_axis_ < rank) {
    tile_[plane_axis_] = std::min({extent[plane_axis_], room, planes.depth});
    room /= tile_[plane_axis_];
  }
  Index stride = 1;
  for (int a = 0; a < rank; ++a) {
    if (a < plane_axis_) {
      tile_[a] = std::min(extent[a], room);
      room = tile_[a] == extent[a] ? std::max<Index>(1, room / extent[a]) : 1;
    }
    strides_[a] = stride;
    stride *= extent[a];
    num_tiles_on_[a] = div_up(extent[a], tile_[a]);
    num_tiles_ *= num_tiles_on_[a];
    if (a < plane_axis_) tiles_of_planes_ = num_tiles_;
  }
}

Index RowTiles::number_by_rows(Index tile) const {
  if (plane_axis_ >= array_.rank) return tile;
  const Index num_planes = num_tiles_on_[plane_axis_];
  const Index in_planes = tile % tiles_of_planes_, plane = tile / tiles_of_planes_ % num_planes;
  const Index above = tile / (tiles_of_planes_ * num_planes);
  return (above * tiles_of_planes_ + in_planes) * num_planes + plane;
}

Box RowTiles::box_of(Index tile) const {
  const Point place = place_in(num_tiles_on_, array_.rank, tile);
  Box box = array_;
  for (int a = 0; a < array_.rank; ++a) {
    box.lo[a] = place[a] * tile_[a];
    box.hi[a] = std::min(box.lo[a] + tile_[a], array_.hi[a]);
  }
  return box;
}

// Adjacent tiles in the same planes have equally many planes.
Index RowTiles::step_on(int axis, const Point& place) const {
  const Index step = tile_[axis] * strides_[axis];
  if (axis >= plane_axis_ || plane_axis_ >= array_.rank) return step;
  const Index first_plane = place[plane_axis_] * tile_[plane_axis_];
  return step * std::min(tile_[plane_axis_], array_.hi[plane_axis_] - first_plane);
}

Index RowTiles::samples_before(const Point& place) const {
  Index samples = 0;
  for (int a = 0; a < array_.rank; ++a) samples += place[a] * step_on(a, place);
  return samples;
}

Index RowTiles::samples_before(Index tile) const {
  return tile == num_tiles_ ? array_.num_samples()
                            : samples_before(place_in(num_tiles_on_, array_.rank, tile));
}

Point RowTiles::place_of(Index sample) const {
  Point place{};
  for (int a = array_.rank; a-- > 0;) {
    if (num_tiles_on_[a] == 1) continue;
    const Index step = step_on(a, place);
    place[a] = sample / step;
    sample %= step;
  }
  return place;
}

RowTiles::Stretch RowTiles::stretch_at(Index sample) const {
  const bool is_in_order = plane_axis_ >= array_.rank || tile_[plane_axis_] == 1 || tiles_of_planes_ == 1;
  if (is_in_order) return {0, array_.num_samples(), 0};
  const Point place = place_of(sample);
  const Box box = box_of(number_in(num_tiles_on_, array_.rank, place));
  const Index begin = samples_before(place);
  const Index size = box.num_samples() / box.extent(plane_axis_);
  const Index plane = (sample - begin) / size;
  Stretch stretch{begin + plane * size, begin + (plane + 1) * size, plane * strides_[plane_axis_]};
  for (int a = 0; a < array_.rank; ++a) stretch.in_array += box.lo[a] * strides_[a];
  return stretch;
}

}  // namespace esker
