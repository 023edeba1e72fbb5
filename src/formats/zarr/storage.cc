#include "formats/zarr/storage.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "codec/bit_round.h"
#include "codec/codecs.h"
#include "formats/zarr/shard_index.h"
#include "layout/chunk_choice.h"
#include "layout/piece_record.h"
#include "layout/places.h"
#include "model/field_facts.h"

namespace esker::zarr {
namespace {

constexpr Index kPieceBytes = Index{1} << 20;  // of a chunk that is not compressed, for one aggregator

/// How chunks of the field are compressed.
Result<FieldStorage> codec_of(const Schema& schema, const Field& field) {
  FieldStorage storage;
  if (field.compression.empty() || num_axes(schema, field) == 0) return storage;
  ESKER_ASSIGN_OR_RETURN(storage.codec, parse_compression_option(field.compression));
  if (!storage.codec.is_for_zarr())
    return error(Code::kUnsupported, "field '{}': compression {}: Zarr arrays do not have it; expected {}",
                 field.name, field.compression, compression_choices(&CodecSpec::is_for_zarr));
  if (storage.codec.kind != CodecKind::kBitRound) return storage;
  ESKER_RETURN_IF_ERROR(
      check_bit_round(field.type, storage.codec.kept_bits).with_context("field '" + field.name + "'"));
  storage.kept_bits = std::exchange(storage.codec.kept_bits, 0);
  storage.codec.kind = CodecKind::kZstd;
  return storage;
}

Result<Point> choose_chunk_of(const Field& field, const Box& box, const std::vector<Index>& chunks) {
  if (chunks.empty()) return choose_brick(box, field.sample_bytes(), kMostChunkBytes);
  if (std::ssize(chunks) < box.rank) {
    return error(Code::kInvalidArgument, "field '{}' has {} axes, but the option chunks has {} extents",
                 field.name, box.rank, chunks.size());
  }
  Point chunk{1, 1, 1, 1, 1};
  for (int a = 0; a < box.rank; ++a) chunk[a] = std::min(chunks[static_cast<std::size_t>(a)], box.hi[a]);
  return chunk;
}

/// As many consecutive chunks as fit in a shard, in nearly equal parts of the axis that is divided.
Point choose_shard(const Box& box, const Point& chunk, Index sample_bytes) {
  Point counts{1, 1, 1, 1, 1};
  Index chunk_bytes = sample_bytes;
  for (int a = 0; a < box.rank; ++a) {
    counts[a] = div_up(box.hi[a], chunk[a]);
    chunk_bytes *= chunk[a];
  }
  // The index has bytes, too.
  const Index most =
      std::min(kMostShardChunks, kMostShardBytes / std::max<Index>(chunk_bytes, sizeof(ChunkPlace)));
  Point shard = slab_extent(counts, box.rank, most);
  for (int a = 0; a < box.rank; ++a) shard[a] = div_up(counts[a], div_up(counts[a], shard[a]));
  return shard;
}

/// Whether `unit` times the extents is less than 2 GiB.
bool is_small(Index unit, const Point& extents, int rank) {
  constexpr Index kLimit = Index{1} << 31;
  std::optional<Index> product = unit;
  for (int a = 0; a < rank; ++a) {
    if (product) product = checked_mul(*product, extents[a]);
  }
  return product && *product < kLimit;
}

/// Readers decode a chunk at once.
Status check_chunk(const Field& field, const Point& chunk, int rank) {
  if (is_small(field.sample_bytes(), chunk, rank)) return {};
  return error(Code::kInvalidArgument,
               "field '{}': chunks have 2 GiB or more; set the option chunks to smaller extents", field.name);
}

Index spare_bytes(const CodecSpec& codec, Index chunk_bytes) {
  if (codec.kind == CodecKind::kZstd) return zstd_bound(chunk_bytes) - chunk_bytes;
  if (codec.kind == CodecKind::kZip) return gzip_bound(chunk_bytes) - chunk_bytes;
  if (codec.kind == CodecKind::kBlosc) return blosc_bound(chunk_bytes) - chunk_bytes;
  return 0;
}

}  // namespace

bool is_series(const Schema& schema, const Field& field) {
  return !field.fixed && num_axes(schema, field) == 0;
}

BlockShape chunk_of(const Schema& schema, const Field& field, const FieldStorage& storage) {
  return {field.type, field.components, schema.box_of(schema.grid_of(field)).rank, storage.chunk};
}

Result<Storage> choose_storage(const Schema& schema, const std::vector<Index>& chunks) {
  Storage storage;
  for (const Field& field : schema.fields()) {
    FieldStorage& of = storage.emplace_back();
    ESKER_ASSIGN_OR_RETURN(of, codec_of(schema, field));
    if (num_axes(schema, field) == 0) continue;
    const Box box = schema.box_of(schema.grid_of(field));
    ESKER_ASSIGN_OR_RETURN(of.chunk, choose_chunk_of(field, box, chunks));
    ESKER_RETURN_IF_ERROR(check_chunk(field, of.chunk, box.rank));
    of.chunks_per_file = choose_shard(box, of.chunk, field.sample_bytes());
  }
  return storage;
}

Result<FieldStorage> storage_of(const Schema& schema, const Field& field, const Array& array) {
  ESKER_ASSIGN_OR_RETURN(FieldStorage storage, codec_of(schema, field));
  storage.codec = array.codec;
  const int rank = num_axes(schema, field);
  const int before = field.fixed ? 0 : 1, behind = field.components > 1 ? 1 : 0;
  bool is_ours = std::ssize(array.shape) == before + rank + behind && array.type == field.type &&
                 array.chunk.empty() == (rank == 0);
  if (is_ours && rank > 0 && before > 0) is_ours = array.file.front() == 1;
  if (is_ours && is_series(schema, field)) is_ours = array.file.front() == kStepsPerFile;
  if (is_ours && behind > 0) is_ours = array.file.back() == field.components;
  if (is_ours && behind > 0 && rank > 0) is_ours = array.chunk.back() == field.components;
  for (int a = 0; a < rank && is_ours; ++a) {
    const auto axis = static_cast<std::size_t>(before + rank - 1 - a);
    storage.chunk[a] = array.chunk[axis];
    storage.chunks_per_file[a] = array.file[axis] / array.chunk[axis];
  }
  // Readers have a chunk and an index in memory.
  is_ours = is_ours && is_small(field.sample_bytes(), storage.chunk, rank) &&
            is_small(sizeof(ChunkPlace), storage.chunks_per_file, rank);
  if (is_ours) return storage;
  return error(Code::kDataLoss, "the array '{}' does not have chunks as Esker writes them", array.name);
}

std::shared_ptr<const ChunkedLayout> layout_of(const Schema& schema, const Field& field,
                                               const FieldStorage& storage) {
  const Box box = schema.box_of(schema.grid_of(field));
  const Index chunk_bytes = chunk_of(schema, field, storage).size_bytes();
  const bool is_raw = storage.codec.kind == CodecKind::kRaw;
  const ChunkedLayout::Shape shape{storage.chunk, is_raw ? 1 : kCompressedAlignment,
                                   spare_bytes(storage.codec, chunk_bytes), storage.chunks_per_file};
  const ChunkedLayout::Tiles tiles{is_raw ? within_a_call(kPieceBytes) : chunk_bytes, 0};
  return std::make_shared<const ChunkedLayout>(box.rank, box.hi, field.sample_bytes(), shape, 0, tiles);
}

}  // namespace esker::zarr
