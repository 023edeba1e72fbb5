#include "formats/zarr/shard_reader.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/macros.h"
#include "codec/codecs.h"
#include "formats/zarr/small_values.h"
#include "grid/copy_samples.h"
#include "layout/places.h"
#include "model/field_facts.h"
#include "read/counted_file.h"
#include "read/row_major_reader.h"

namespace esker::zarr {

ShardReader::ShardReader(Store& store, const Paths& paths, const Model& model, const Level& level,
                         std::size_t field, Index step, ReadCounters& counters)
    : store_(store),
      array_(model.array_of_field(level, field)),
      storage_(level.storage[field]),
      shape_(chunk_of(level.schema, level.schema.fields()[field], storage_)),
      layout_(layout_of(level.schema, level.schema.fields()[field], storage_)),
      files_(paths.files_of(array_)),
      num_axes_(num_axes(level.schema, level.schema.fields()[field])),
      step_(step),
      sample_bytes_(shape_.components * size_bytes(shape_.type)),
      counters_(counters) {}

/// Opens a shard and reads its index. An array without shards has one chunk in a file, or one sample of each
/// step.
Status ShardReader::open(Index file) {
  if (opened_ == file) return {};
  opened_ = -1;
  decoded_at_ = ChunkPlace::kAbsent;
  path_ = files_ + shard_name(array_, *layout_, num_axes_, step_, file);
  file_.reset();
  ESKER_ASSIGN_OR_RETURN(const bool exists, store_.exists(path_));
  if (exists) {
    ESKER_ASSIGN_OR_RETURN(file_, store_.open(path_, OpenMode::kRead));
    ESKER_ASSIGN_OR_RETURN(file_bytes_, file_->size_bytes());
  }
  if (exists && array_.chunk.empty()) {
    const Index place = step_ < 0 ? 0 : step_ % array_.file.front() * sample_bytes_;
    places_ = {{static_cast<std::uint64_t>(place), static_cast<std::uint64_t>(sample_bytes_)}};
  } else if (exists) {
    const Index bytes = index_bytes(Box::from_extent(shape_.rank, storage_.chunks_per_file).num_samples());
    if (file_bytes_ < bytes)
      return error(Code::kDataLoss, "{}: {} bytes, expected an index of {}", path_, file_bytes_, bytes);
    std::vector<std::byte> index(static_cast<std::size_t>(bytes));
    ESKER_RETURN_IF_ERROR(CountedFile(*file_, counters_).read_at(index, file_bytes_ - bytes));
    auto places = parse_index(index, file_bytes_ - bytes);
    if (!places.ok()) return places.status().with_context(path_);
    places_ = *std::move(places);
  }
  opened_ = file;
  return {};
}

ChunkPlace ShardReader::place_of(const Point& chunk) const {
  if (!file_) return {};
  if (array_.chunk.empty()) return places_.front();
  Point place{};
  for (int a = 0; a < shape_.rank; ++a) place[a] = chunk[a] % storage_.chunks_per_file[a];
  return places_[static_cast<std::size_t>(number_in(storage_.chunks_per_file, shape_.rank, place))];
}

Status ShardReader::read_plain(const Lattice& part, Index offset, std::byte* out) {
  const CountedFile file(*file_, counters_);
  RowMajorReader reader(file, offset, storage_.chunk, sample_bytes_, part);
  return reader.read(out, [](std::span<std::byte>) {});
}

/// To chunk_.
Status ShardReader::decode(const ChunkPlace& place) {
  if (decoded_at_ == place.offset_bytes) return {};
  decoded_at_ = ChunkPlace::kAbsent;
  const bool is_zstd = storage_.codec.kind == CodecKind::kZstd;
  const Index most = is_zstd ? zstd_bound(shape_.size_bytes()) : gzip_bound(shape_.size_bytes());
  if (place.size_bytes > static_cast<std::uint64_t>(most))
    return error(Code::kDataLoss, "{}: a chunk has {} bytes, expected at most {}", path_, place.size_bytes,
                 most);
  std::vector<std::byte> stored(place.size_bytes);
  ESKER_RETURN_IF_ERROR(
      CountedFile(*file_, counters_).read_at(stored, static_cast<Index>(place.offset_bytes)));
  chunk_.resize(static_cast<std::size_t>(shape_.size_bytes()));
  ESKER_RETURN_IF_ERROR(
      (is_zstd ? zstd_decode(stored, chunk_) : gzip_decode(stored, chunk_)).with_context(path_));
  decoded_at_ = place.offset_bytes;
  return {};
}

Status ShardReader::read(const Point& chunk, const Lattice& part, std::byte* out) {
  ESKER_RETURN_IF_ERROR(open(layout_->chunks().tile_of(layout_->chunks().number_of(chunk))));
  const ChunkPlace place = place_of(chunk);
  if (place.is_absent()) {
    fill_with(array_.fill, {out, static_cast<std::size_t>(part.num_samples() * sample_bytes_)});
    return {};
  }
  if (storage_.codec.kind == CodecKind::kRaw) {
    if (static_cast<Index>(place.size_bytes) != shape_.size_bytes())
      return error(Code::kDataLoss, "{}: a chunk has {} bytes, expected {}", path_, place.size_bytes,
                   shape_.size_bytes());
    return read_plain(part, static_cast<Index>(place.offset_bytes), out);
  }
  ESKER_RETURN_IF_ERROR(decode(place));
  std::array<Index, kMaxRank> strides{};
  Index stride = sample_bytes_, first = 0;
  for (int a = 0; a < part.rank; stride *= storage_.chunk[a], ++a) {
    first += part.origin[a] * stride;
    strides[a] = part.stride[a] * stride;
  }
  const Box indices = part.all_indices();
  copy_samples(sample_bytes_, chunk_.data() + first, SampleMap::strided(indices, strides), out,
               SampleMap::dense(indices, sample_bytes_));
  return {};
}

Result<Index> ShardReader::check(Index file) {
  ESKER_RETURN_IF_ERROR(open(file));
  if (!file_) return error(Code::kNotFound, "{} does not exist", path_);
  const Box chunks = layout_->chunks().box_of_tile(file);
  std::vector<std::byte> samples(static_cast<std::size_t>(shape_.size_bytes()));
  Lattice whole;
  whole.rank = shape_.rank;
  whole.count = shape_.count;
  Status status;
  for_each_place(chunks, [&](const Point& chunk) {
    if (status.ok() && place_of(chunk).is_absent())
      status = error(Code::kDataLoss, "{} does not have one of its chunks", path_);
    if (status.ok()) status = read(chunk, whole, samples.data());
  });
  ESKER_RETURN_IF_ERROR(status);
  return file_bytes_;
}

}  // namespace esker::zarr
