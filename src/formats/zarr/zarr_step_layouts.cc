#include "formats/zarr/zarr_step_layouts.h"

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "codec/codecs.h"
#include "codec/compress_chunk.h"
#include "formats/zarr/names.h"
#include "formats/zarr/shard_index.h"
#include "layout/piece_record.h"
#include "layout/places.h"
#include "model/field_facts.h"

namespace esker::zarr {

ZarrStepLayouts::ZarrStepLayouts(const Model& model, const std::vector<bool>& present, const Paths& paths) {
  int number = 0;  // of the field, also a coarse one
  for (const Level& level : model.levels) {
    for (std::size_t f = 0; f < level.schema.fields().size(); ++f, ++number) {
      if (present[static_cast<std::size_t>(number)]) add(model, level, f, number, paths);
    }
  }
}

/// Adds a field of a level, which is field `number` of the step.
void ZarrStepLayouts::add(const Model& model, const Level& level, std::size_t f, int number,
                          const Paths& paths) {
  const Schema& schema = level.schema;
  const Field& field = schema.fields()[f];
  const FieldStorage& storage = level.storage[f];
  columns.push_back({number, 0, static_cast<int>(layouts.size()), 0});
  const auto chunks = layout_of(schema, field, storage);
  layouts.push_back(chunks);
  const Array& array = model.array_of_field(level, f);
  of_layout_.push_back({chunks, paths.files_of(array), array, storage, chunk_of(schema, field, storage),
                        num_axes(schema, field), is_series(schema, field), field.fixed,
                        field.sample_bytes()});
}

std::string ZarrStepLayouts::file_path(int layout, Index file, Index step) const {
  const OfLayout& to = of(layout);
  return to.files + shard_name(to.array, *to.chunks, to.num_axes, to.is_fixed ? -1 : step, file);
}

Index ZarrStepLayouts::step_offset_bytes(int layout, Index step) const {
  return of(layout).is_series ? step % kStepsPerFile * of(layout).sample_bytes : 0;
}

Index ZarrStepLayouts::compressed_room(int layout, const Piece& piece) const {
  switch (of(layout).storage.codec.kind) {
    case CodecKind::kZstd:
      return zstd_bound(piece.size_bytes);
    case CodecKind::kBlosc:
      return blosc_bound(piece.size_bytes);
    default:
      return gzip_bound(piece.size_bytes);
  }
}

/// To `stored`, which has compressed_room().
Result<Index> ZarrStepLayouts::encode(const OfLayout& to, std::span<const std::byte> samples,
                                      std::span<std::byte> stored) {
  switch (to.storage.codec.kind) {
    case CodecKind::kZstd:
      return zstd_encode(kZstdLevel, samples, stored, to.array.has_sums);
    case CodecKind::kBlosc:
      return blosc_encode(kBloscLevel, size_bytes(to.array.type), samples, stored);
    default:
      return gzip_encode(to.storage.codec.zip_level, samples, stored);
  }
}

/// A copy of a chunk that is rounded.
Index ZarrStepLayouts::compress_scratch_bytes() const {
  Index most = 0;
  for (const OfLayout& of : of_layout_) {
    if (of.storage.kept_bits > 0) most = std::max(most, of.shape.size_bytes());
  }
  return round_up(most, kCompressedAlignment);
}

Status ZarrStepLayouts::compress(int layout, const Piece& piece, std::span<const std::byte> samples,
                                 std::span<std::byte> stored, std::span<std::byte> scratch,
                                 PieceRecord& record) const {
  const OfLayout& to = of(layout);
  RoundingErrors errors;
  if (to.storage.kept_bits > 0) {
    const Box inside = to.chunks->part(piece, 0).lattice.indices_in(to.chunks->domain());
    const auto rounded = scratch.first(samples.size());
    errors = round_chunk(to.storage.kept_bits, {to.shape, inside, to.array.fill, samples}, rounded);
    samples = rounded;
  }
  ESKER_ASSIGN_OR_RETURN(const Index size, encode(to, samples, stored));
  if (size == 0) return error(Code::kInternal, "a chunk is encoded in more than {} bytes", stored.size());
  record.size_bytes = static_cast<std::uint32_t>(size);
  record.form = 0;
  record.max_error = errors.max;
  record.rms_error = errors.rms;
  return {};
}

/// The chunks of a file follow each other; the index also has places for those past the grid.
std::vector<std::byte> ZarrStepLayouts::file_end(int layout, Index file,
                                                 std::span<const PieceRecord> records) const {
  const OfLayout& to = of(layout);
  if (to.array.chunk.empty()) return {};
  const TiledOrder& chunks = to.chunks->chunks();
  const Point& of_shard = chunks.tile_extent();
  const Index chunk_bytes = to.chunks->chunk_stride_bytes();  // where they are not compressed
  const Box stored = chunks.box_of_tile(file);
  std::vector<ChunkPlace> places(
      static_cast<std::size_t>(Box::from_extent(stored.rank, of_shard).num_samples()));
  std::size_t n = 0;
  for_each_place(Box::from_extent(stored.rank, stored.extents()), [&](const Point& place) {
    ChunkPlace& chunk = places[static_cast<std::size_t>(number_in(of_shard, stored.rank, place))];
    if (to.storage.codec.kind == CodecKind::kRaw) {
      chunk = {n * static_cast<std::uint64_t>(chunk_bytes), static_cast<std::uint64_t>(chunk_bytes)};
    } else {
      chunk = {static_cast<std::uint64_t>(records[n].offset_bytes), records[n].size_bytes};
    }
    ++n;
  });
  return print_index(places);
}

}  // namespace esker::zarr
