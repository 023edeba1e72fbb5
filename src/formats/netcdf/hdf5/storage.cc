#include "formats/netcdf/hdf5/storage.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "codec/compress_chunk.h"
#include "layout/chunk_choice.h"
#include "layout/piece_record.h"

namespace esker::hdf5 {
namespace {

constexpr Index kPieceBytes = Index{1} << 20;  // of a chunk, for one aggregator

/// Samples of a chunk per axis, not limited by the grid.
Result<Point> extents_of_chunk(const Schema& schema, std::size_t field, bool is_compressed,
                               const ChunkOptions& options) {
  const Field& of = schema.fields()[field];
  const Box box = schema.box_of(schema.grid_of(of));
  if (field < options.boxes.size() && options.boxes[field][0] > 0) return options.boxes[field];
  if (options.extents.empty()) {
    return choose_chunk(box, of.sample_bytes(), is_compressed ? kCompressedChunkBytes : kChunkBytes);
  }
  if (static_cast<int>(options.extents.size()) < box.rank) {
    return error(Code::kInvalidArgument, "field '{}' has {} axes, but the option chunks has {} extents",
                 of.name, box.rank, options.extents.size());
  }
  Point extents{};
  std::copy(options.extents.begin(), options.extents.end(), extents.begin());
  return extents;
}

Result<ChunkedLayout::Shape> shape_of(const Schema& schema, std::size_t field, bool is_compressed,
                                      const ChunkOptions& options) {
  const Field& of = schema.fields()[field];
  const Box box = schema.box_of(schema.grid_of(of));
  ESKER_ASSIGN_OR_RETURN(const Point extents, extents_of_chunk(schema, field, is_compressed, options));
  ChunkedLayout::Shape shape{{1, 1, 1, 1, 1},
                             is_compressed ? kCompressedAlignment : options.chunk_alignment_bytes};
  std::optional<Index> bytes = of.sample_bytes();
  for (int a = 0; a < box.rank; ++a) {
    shape.chunk[a] = std::min(extents[a], box.hi[a]);
    if (bytes) bytes = checked_mul(*bytes, shape.chunk[a]);
  }
  const bool is_limited = !of.fixed || is_compressed;
  if (!is_limited || (bytes && *bytes <= std::numeric_limits<std::uint32_t>::max())) return shape;
  return error(
      Code::kInvalidArgument,
      "field '{}': HDF5 does not support chunks of 4 GiB or more; set the option chunks to smaller extents",
      of.name);
}

/// A value per step cannot shrink: time series are not compressed.
Result<CodecSpec> codec_of(const Schema& schema, const Field& field) {
  if (field.compression.empty() || schema.has_no_axes(schema.grid_of(field))) return CodecSpec();
  return parse_compression_option(field.compression);
}

}  // namespace

Result<Storage> choose_storage(const Schema& schema, const ChunkOptions& options) {
  Storage storage{options.alignment_bytes, options.chunk_alignment_bytes};
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const Field& field = schema.fields()[f];
    ESKER_ASSIGN_OR_RETURN(const CodecSpec codec, codec_of(schema, field));
    ESKER_ASSIGN_OR_RETURN(const auto shape, shape_of(schema, f, codec.kind != CodecKind::kRaw, options));
    storage.codecs.push_back(codec);
    storage.chunks.push_back(shape);
    ESKER_RETURN_IF_ERROR(
        check_chunk_codec(codec, chunk_of(schema, storage, f)).with_context("field '" + field.name + "'"));
  }
  return storage;
}

bool is_contiguous(const Schema& schema, const Storage& storage, std::size_t field) {
  return schema.fields()[field].fixed && !storage.is_compressed(field);
}

BlockShape chunk_of(const Schema& schema, const Storage& storage, std::size_t field) {
  const Field& of = schema.fields()[field];
  return {of.type, of.components, schema.box_of(schema.grid_of(of)).rank, storage.chunks[field].chunk};
}

// A contiguous field is one chunk.
ChunkedLayout layout_of(const Schema& schema, const Storage& storage, int field, int dense_axis) {
  const auto f = static_cast<std::size_t>(field);
  const Field& of = schema.fields()[f];
  const Box box = schema.box_of(schema.grid_of(of));
  if (storage.is_compressed(f)) {
    const Index chunk_bytes = chunk_of(schema, storage, f).size_bytes();
    return {box.rank, box.hi, of.sample_bytes(), storage.chunks[f], 0, {chunk_bytes, 0}};
  }
  const ChunkedLayout::Shape& shape = of.fixed ? ChunkedLayout::Shape{box.hi} : storage.chunks[f];
  return {box.rank, box.hi, of.sample_bytes(), shape, 0, {within_a_call(kPieceBytes), dense_axis}};
}

}  // namespace esker::hdf5
