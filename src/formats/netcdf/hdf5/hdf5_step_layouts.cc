#include "formats/netcdf/hdf5/hdf5_step_layouts.h"

#include <cstring>

#include "base/error.h"
#include "base/pack_values.h"

namespace esker::hdf5 {

Hdf5StepLayouts::Hdf5StepLayouts(const Storage& storage, const Schema& schema,
                                 const std::vector<bool>& present, const StepHints& hints, std::string path)
    : path_(std::move(path)) {
  for (std::size_t f = 0; f < present.size(); ++f) {
    if (!present[f]) continue;
    const int field = static_cast<int>(f);
    columns.push_back({field, 0, static_cast<int>(layouts.size()), 0});
    layouts.push_back(
        std::make_unique<ChunkedLayout>(layout_of(schema, storage, field, hints.dense_axis(f))));
  }
  places_.resize(layouts.size());
}

Status Hdf5StepLayouts::take_places(const std::string& places) {
  for (std::size_t layout = 0; layout < places_.size(); ++layout) {
    const std::size_t begin = static_cast<std::size_t>(columns[layout].field) * sizeof(Index);
    if (begin + sizeof(Index) > places.size())
      return error(Code::kInternal, "the addresses of the fields have {} bytes, expected more",
                   places.size());
    std::memcpy(&places_[layout], places.data() + begin, sizeof(Index));
  }
  return {};
}

std::string print_places(const std::vector<Index>& places) { return pack_values(places); }

}  // namespace esker::hdf5
