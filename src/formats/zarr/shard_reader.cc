#include "formats/zarr/shard_reader.h"

#include <vector>

#include "base/error.h"
#include "base/macros.h"
#include "layout/places.h"
#include "model/field_facts.h"

namespace esker::zarr {
ShardReader::ShardReader(Store& store, const Paths& paths, const Model& model, const Level& level,
                         std::size_t field, Index step, ReadCounters& counters)
    : layout_(layout_of(level.schema, level.schema.fields()[field], level.storage[field])),
      shape_(chunk_of(level.schema, level.schema.fields()[field], level.storage[field])),
      form_(form_of(model.array_of_field(level, field))),
      files_(store, paths.of_array(model.array_of_field(level, field)), form_,
             num_axes(level.schema, level.schema.fields()[field]), step, counters) {}

Result<Index> ShardReader::check(Index file) {
  std::vector<std::byte> samples(static_cast<std::size_t>(shape_.size_bytes()));
  Lattice whole;
  whole.rank = shape_.rank;
  whole.count = shape_.count;
  Status status;
  for_each_place(layout_->chunks().box_of_tile(file), [&](const Point& chunk) {
    if (!status.ok()) return;
    const auto has = files_.has(chunk);
    status = has.status();
    if (!status.ok()) return;
    if (!files_.has_file()) {
      status = error(Code::kNotFound, "{} does not exist", files_.path());
    } else if (!*has) {
      status = error(Code::kDataLoss, "{} does not have one of its chunks", files_.path());
    } else {
      status = files_.read(chunk, whole, samples.data());
    }
  });
  ESKER_RETURN_IF_ERROR(status);
  return files_.file_bytes();
}

}  // namespace esker::zarr
