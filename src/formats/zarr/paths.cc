#include "formats/zarr/paths.h"

#include "layout/places.h"

namespace esker::zarr {

std::string shard_name(const Array& array, const ChunkedLayout& layout, int num_axes, Index step,
                       Index file) {
  std::string name;
  if (step >= 0) name += "/" + std::to_string(step / array.file.front());
  const Point place = place_in(layout.chunks().num_tiles_on(), layout.domain().rank, file);
  for (int a = num_axes; a-- > 0;) name += "/" + std::to_string(place[a]);
  const std::size_t axes = static_cast<std::size_t>(num_axes) + (step >= 0 ? 1 : 0);
  if (array.shape.size() > axes) name += "/0";  // of components
  return name;
}

}  // namespace esker::zarr
