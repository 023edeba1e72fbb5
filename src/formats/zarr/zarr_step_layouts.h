// ZarrStepLayouts: where the samples of one step are stored in a Zarr group; one layout per field.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/format_writer.h"
#include "formats/zarr/model.h"
#include "formats/zarr/paths.h"

namespace esker::zarr {

class ZarrStepLayouts final : public StepLayouts {
 public:
  /// For the fields with present[field], which has the coarse fields, too.
  ZarrStepLayouts(const Model& model, const std::vector<bool>& present, const Paths& paths);

  [[nodiscard]] std::string file_path(int layout, Index file, Index step) const override;
  /// Fields of one sample per step.
  [[nodiscard]] bool shares_files(int layout) const override { return of(layout).is_series; }
  [[nodiscard]] int shared_file(int layout) const override { return layout; }
  [[nodiscard]] Index step_offset_bytes(int layout, Index step) const override;
  [[nodiscard]] bool compresses(int layout) const override {
    return of(layout).storage.codec.kind != CodecKind::kRaw;
  }
  [[nodiscard]] Index compress_scratch_bytes() const override;
  [[nodiscard]] Index compressed_room(int layout, const Piece& piece) const override;
  Status compress(int layout, const Piece& piece, std::span<const std::byte> samples,
                  std::span<std::byte> stored, std::span<std::byte> scratch,
                  PieceRecord& record) const override;
  /// The index of a shard.
  [[nodiscard]] std::vector<std::byte> file_end(int layout, Index file,
                                                std::span<const PieceRecord> records) const override;

 private:
  struct OfLayout {
    std::shared_ptr<const ChunkedLayout> chunks;
    std::string files;  // Paths::files_of()
    Array array;
    FieldStorage storage;
    BlockShape shape;  // of a chunk
    int num_axes = 0;
    bool is_series = false, is_fixed = false;
    Index sample_bytes = 0;
  };
  void add(const Model& model, const Level& level, std::size_t f, int number, const Paths& paths);
  static Result<Index> encode(const OfLayout& to, std::span<const std::byte> samples,
                              std::span<std::byte> stored);
  [[nodiscard]] const OfLayout& of(int layout) const { return of_layout_[static_cast<std::size_t>(layout)]; }

  std::vector<OfLayout> of_layout_;
};

}  // namespace esker::zarr
