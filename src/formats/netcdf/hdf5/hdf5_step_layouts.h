// Hdf5StepLayouts: where the samples of one step are stored in a NetCDF-4 file; one layout per variable. Those of
// compressed fields come first: their chunks follow each other in the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/format_writer.h"
#include "formats/netcdf/hdf5/netcdf4_file.h"

namespace esker::hdf5 {

class Hdf5StepLayouts final : public StepLayouts {
 public:
  /// For the fields with present[field].
  Hdf5StepLayouts(const Netcdf4File& file, const Schema& schema, const std::vector<bool>& present,
                  const StepHints& hints, std::string path);

  [[nodiscard]] std::string file_path(int /*layout*/, Index /*file*/, Index /*step*/) const override {
    return path_;
  }
  [[nodiscard]] bool shares_files(int /*layout*/) const override { return true; }
  [[nodiscard]] bool needs_places() const override { return true; }
  Status take_places(const std::string& places) override;
  [[nodiscard]] Index step_offset_bytes(int layout, Index /*step*/) const override {
    return places_[static_cast<std::size_t>(layout)];
  }
  [[nodiscard]] bool compresses(int layout) const override {
    return codecs_[static_cast<std::size_t>(layout)].spec.kind != CodecKind::kRaw;
  }
  [[nodiscard]] Index compress_scratch_bytes() const override;
  /// PieceRecord::form is the filter mask of the chunk.
  Status compress(int layout, const Piece& piece, std::span<const std::byte> samples,
                  std::span<std::byte> stored, std::span<std::byte> scratch,
                  PieceRecord& record) const override;

 private:
  /// How the chunks of a layout are compressed.
  struct Codec {
    CodecSpec spec;
    BlockShape chunk;
    std::vector<std::byte> fill;  // value
    std::uint32_t mask_of_raw = 0;
  };
  void add(const Netcdf4File& file, const Schema& schema, std::size_t field, const StepHints& hints);

  std::string path_;
  std::vector<Codec> codecs_;  // [layout]
  std::vector<Index> places_;  // [layout]
};

/// The fields with present[field] in the order of their layouts.
std::vector<std::size_t> fields_of_layouts(const Storage& storage, const std::vector<bool>& present);

/// File offsets of all fields, in the form that take_places() takes.
std::string print_places(const std::vector<Index>& places);

}  // namespace esker::hdf5
