#include "formats/zarr/chunk_files.h"

#include <algorithm>

#include "base/byte_order.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/zarr/small_values.h"
#include "grid/copy_samples.h"
#include "read/counted_file.h"
#include "read/row_major_reader.h"

namespace esker::zarr {
namespace {

/// Bytes between neighbors along each axis in a decoded chunk.
std::vector<Index> strides_of(const StoredForm& form) {
  const std::size_t rank = form.chunk.size();
  std::vector<Index> strides(rank);
  Index stride = form.chain.value_bytes;
  for (std::size_t n = rank; n-- > 0;) {
    const std::size_t axis = form.chain.order.empty() ? n : static_cast<std::size_t>(form.chain.order[n]);
    strides[axis] = stride;
    stride *= form.chunk[axis];
  }
  return strides;
}

/// Row-major.
Index number_of(std::span<const Index> place, std::span<const Index> counts) {
  Index number = 0;
  for (std::size_t a = 0; a < place.size(); ++a) number = number * counts[a] + place[a];
  return number;
}

std::vector<Index> chunks_per_file(const StoredForm& form) {
  std::vector<Index> counts(form.file.size());
  for (std::size_t a = 0; a < counts.size(); ++a) counts[a] = form.file[a] / form.chunk[a];
  return counts;
}

}  // namespace

ChunkFiles::ChunkFiles(Store& store, std::string directory, const StoredForm& form, int rank, Index step,
                       ReadCounters& counters)
    : store_(store),
      directory_(std::move(directory)),
      form_(form),
      rank_(static_cast<std::size_t>(rank)),
      first_(step < 0 ? 0 : 1),
      step_(step),
      counters_(counters),
      counts_(chunks_per_file(form)) {
  const std::vector<Index> strides = strides_of(form);
  sample_bytes_ = chunk_bytes_ = form.chain.value_bytes;
  for (std::size_t axis = first_ + rank_; axis < form.chunk.size(); ++axis) sample_bytes_ *= form.chunk[axis];
  for (const Index extent : form.chunk) chunk_bytes_ *= extent;
  for (std::size_t a = 0; a < rank_; ++a) {
    extent_[static_cast<int>(a)] = form.chunk[first_ + rank_ - 1 - a];
    strides_[a] = strides[first_ + rank_ - 1 - a];
  }
  if (first_ > 0) step_bytes_ = step % form.chunk.front() * strides.front();
}

ChunkFiles::Places ChunkFiles::places_of(const Point& chunk) const {
  Places places(form_.chunk.size(), 0);
  if (first_ > 0) places.front() = step_ / form_.chunk.front();
  for (std::size_t a = 0; a < rank_; ++a) places[first_ + rank_ - 1 - a] = chunk[static_cast<int>(a)];
  return places;
}

/// Opens a file and reads its index.
Status ChunkFiles::open(const Places& file) {
  if (opened_ == file) return {};
  opened_ = {-1};
  decoded_at_ = ChunkPlace::kAbsent;
  path_ = directory_ + key_of(form_.keys, file);
  file_.reset();
  ESKER_ASSIGN_OR_RETURN(const bool exists, store_.exists(path_));
  if (exists) {
    ESKER_ASSIGN_OR_RETURN(file_, store_.open(path_, OpenMode::kRead));
    ESKER_ASSIGN_OR_RETURN(file_bytes_, file_->size_bytes());
    if (form_.is_sharded) ESKER_RETURN_IF_ERROR(read_index().with_context(path_));
  }
  opened_ = file;
  return {};
}

Status ChunkFiles::read_index() {
  Index num_chunks = 1;
  for (const Index count : counts_) num_chunks *= count;
  const Index bytes = index_bytes(num_chunks, form_.has_index_sum);
  if (file_bytes_ < bytes)
    return error(Code::kDataLoss, "{} bytes, expected an index of {}", file_bytes_, bytes);
  const Index end = file_bytes_ - (form_.has_index_at_start ? 0 : bytes);
  std::vector<std::byte> index(static_cast<std::size_t>(bytes));
  ESKER_RETURN_IF_ERROR(CountedFile(*file_, counters_).read_at(index, form_.has_index_at_start ? 0 : end));
  ESKER_ASSIGN_OR_RETURN(index_,
                         parse_index(index, end, form_.has_index_at_start ? bytes : 0, form_.has_index_sum));
  return {};
}

ChunkPlace ChunkFiles::stored_at(const Places& chunk) const {
  if (!file_) return {};
  if (!form_.is_sharded) return {0, static_cast<std::uint64_t>(file_bytes_)};
  Places place = chunk;
  for (std::size_t a = 0; a < place.size(); ++a) place[a] %= counts_[a];
  return index_[static_cast<std::size_t>(number_of(place, counts_))];
}

Result<ChunkPlace> ChunkFiles::find(const Places& chunk) {
  Places file = chunk;
  for (std::size_t a = 0; a < file.size(); ++a) file[a] /= counts_[a];
  ESKER_RETURN_IF_ERROR(open(file));
  return stored_at(chunk);
}

Result<bool> ChunkFiles::has(const Point& chunk) {
  ESKER_ASSIGN_OR_RETURN(const ChunkPlace place, find(places_of(chunk)));
  return !place.is_absent();
}

Status ChunkFiles::read_plain(const Lattice& part, Index offset, std::byte* out) {
  const CountedFile file(*file_, counters_);
  RowMajorReader reader(file, offset, extent_, sample_bytes_, part);
  return reader.read(out, [&](std::span<std::byte> bytes) {
    if (form_.chain.is_big_endian) swap_bytes(bytes, form_.chain.value_bytes);
  });
}

Result<std::shared_ptr<const DecodedBlock>> ChunkFiles::decode(const ChunkPlace& place) {
  const Index most = most_stored_bytes(form_.chain, chunk_bytes_),
              least = least_stored_bytes(form_.chain, chunk_bytes_);
  const bool is_few = place.size_bytes < static_cast<std::uint64_t>(least);
  if (is_few || place.size_bytes > static_cast<std::uint64_t>(most))
    return error(Code::kDataLoss, "{}: a chunk has {} bytes, expected at {} {}", path_, place.size_bytes,
                 is_few ? "least" : "most", is_few ? least : most);
  std::vector<std::byte> stored(place.size_bytes);
  ESKER_RETURN_IF_ERROR(
      CountedFile(*file_, counters_).read_at(stored, static_cast<Index>(place.offset_bytes)));
  auto block = std::make_shared<DecodedBlock>();
  const auto size = static_cast<std::size_t>(chunk_bytes_);
  block->bytes = std::make_unique_for_overwrite<std::byte[]>(size);
  block->size_bytes = chunk_bytes_;
  ESKER_RETURN_IF_ERROR(decode_chunk(form_.chain, stored, {block->bytes.get(), size}).with_context(path_));
  return std::shared_ptr<const DecodedBlock>(std::move(block));
}

/// The number of a chunk among those of the array.
Index ChunkFiles::number_of_chunk(const Places& places) const {
  std::vector<Index> counts(places.size());
  for (std::size_t a = 0; a < counts.size(); ++a) counts[a] = div_up(form_.shape[a], form_.chunk[a]);
  return number_of(places, counts);
}

/// To chunk_.
Status ChunkFiles::decode_for(const Places& chunk, const ChunkPlace& place) {
  if (decoded_at_ == place.offset_bytes) return {};
  decoded_at_ = ChunkPlace::kAbsent;
  const BlockCache::Key key{nullptr, array_, 0, cache_ ? number_of_chunk(chunk) : 0};
  chunk_ = cache_ ? cache_->find(key) : nullptr;
  if (!chunk_) {
    ESKER_ASSIGN_OR_RETURN(chunk_, decode(place));
    if (cache_) cache_->keep(key, chunk_);
  }
  decoded_at_ = place.offset_bytes;
  return {};
}

Status ChunkFiles::read(const Point& chunk, const Lattice& part, std::byte* out) {
  const Places places = places_of(chunk);
  ESKER_ASSIGN_OR_RETURN(const ChunkPlace place, find(places));
  if (place.is_absent()) {
    fill_with(form_.fill, {out, static_cast<std::size_t>(part.num_samples() * sample_bytes_)});
    return {};
  }
  if (form_.chain.is_plain()) {
    const auto size = static_cast<Index>(place.size_bytes);
    if (form_.is_sharded && size != chunk_bytes_)
      return error(Code::kDataLoss, "{}: a chunk has {} bytes, expected {}", path_, size, chunk_bytes_);
    return read_plain(part, static_cast<Index>(place.offset_bytes) + step_bytes_, out);
  }
  ESKER_RETURN_IF_ERROR(decode_for(places, place));
  Index first = step_bytes_;
  std::array<Index, kMaxRank> strides{};
  for (int a = 0; a < part.rank; ++a) {
    first += part.origin[a] * strides_[static_cast<std::size_t>(a)];
    strides[static_cast<std::size_t>(a)] = part.stride[a] * strides_[static_cast<std::size_t>(a)];
  }
  const Box indices = part.all_indices();
  copy_samples(sample_bytes_, chunk_->bytes.get() + first, SampleMap::strided(indices, strides), out,
               SampleMap::dense(indices, sample_bytes_));
  return {};
}

Result<Index> ChunkFiles::check(const std::vector<Index>& file) {
  ESKER_RETURN_IF_ERROR(open(file));
  if (!file_) return error(Code::kNotFound, "{} does not exist", path_);
  if (!form_.is_sharded) index_ = {{0, static_cast<std::uint64_t>(file_bytes_)}};
  for (const ChunkPlace& place : index_) {
    if (place.is_absent()) continue;
    ESKER_RETURN_IF_ERROR(decode(place).status());
  }
  return file_bytes_;
}

}  // namespace esker::zarr
