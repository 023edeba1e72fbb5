#include "formats/netcdf/hdf5/hdf5_step_layouts.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/pack_values.h"
#include "codec/compress_chunk.h"
#include "formats/netcdf/hdf5/filters.h"
#include "formats/netcdf/model/fill.h"

namespace esker::hdf5 {

std::vector<std::size_t> fields_of_layouts(const Storage& storage, const std::vector<bool>& present) {
  std::vector<std::size_t> fields;
  for (const bool is_compressed : {true, false}) {
    for (std::size_t f = 0; f < storage.codecs.size(); ++f) {
      if (present[f] && storage.is_compressed(f) == is_compressed) fields.push_back(f);
    }
  }
  return fields;
}

Hdf5StepLayouts::Hdf5StepLayouts(const Netcdf4File& file, const Schema& schema,
                                 const std::vector<bool>& present, const StepHints& hints, std::string path)
    : path_(std::move(path)) {
  for (const std::size_t f : fields_of_layouts(file.storage, present)) add(file, schema, f, hints);
  places_.resize(layouts.size());
}

void Hdf5StepLayouts::add(const Netcdf4File& file, const Schema& schema, std::size_t field,
                          const StepHints& hints) {
  const int number = static_cast<int>(field);
  columns.push_back({number, 0, static_cast<int>(layouts.size()), 0});
  layouts.push_back(
      std::make_unique<ChunkedLayout>(layout_of(schema, file.storage, number, hints.dense_axis(field))));
  Codec codec{file.storage.codecs[field], chunk_of(schema, file.storage, field),
              netcdf::fill_value(file.variable_of(field))};
  if (std::endian::native == std::endian::little) std::reverse(codec.fill.begin(), codec.fill.end());
  codec.mask_of_raw = mask_of_raw(codec.spec, codec.chunk);
  codecs_.push_back(std::move(codec));
}

Index Hdf5StepLayouts::compress_scratch_bytes() const {
  Index most = 0;
  for (const Codec& codec : codecs_) most = std::max(most, chunk_scratch_bytes(codec.spec, codec.chunk));
  return round_up(most, kCompressedAlignment);
}

Status Hdf5StepLayouts::compress(int layout, const Piece& piece, std::span<const std::byte> samples,
                                 std::span<std::byte> stored, std::span<std::byte> scratch,
                                 PieceRecord& record) const {
  const Codec& codec = codecs_[static_cast<std::size_t>(layout)];
  const Layout& of = *layouts[static_cast<std::size_t>(layout)];
  const Box inside = of.part(piece, 0).lattice.indices_in(of.domain());
  ESKER_ASSIGN_OR_RETURN(
      const Compressed chunk,
      compress_chunk(codec.spec, {codec.chunk, inside, codec.fill, samples}, stored,
                     scratch.first(static_cast<std::size_t>(chunk_scratch_bytes(codec.spec, codec.chunk)))));
  record.size_bytes = static_cast<std::uint32_t>(chunk.size_bytes);
  record.form = chunk.is_raw ? codec.mask_of_raw : 0;
  record.max_error = chunk.max_error;
  record.rms_error = chunk.rms_error;
  return {};
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
