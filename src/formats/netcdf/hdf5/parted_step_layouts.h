// PartedStepLayouts: where the samples of one step are stored in the parts of a NetCDF-4 dataset. The layouts
// of the first part, placed in the grid, are followed by those of the second one ...
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formats/netcdf/hdf5/parts.h"
#include "layout/step_layouts.h"

namespace esker::hdf5 {

class PartedStepLayouts final : public StepLayouts {
 public:
  /// `of_file`: the layouts of each file of `parts`, in its own indices and fields.
  PartedStepLayouts(const Parts& parts, std::vector<std::unique_ptr<StepLayouts>> of_file);

  [[nodiscard]] std::string file_path(int layout, Index file, Index step) const override {
    return of(layout).file_path(number(layout), file, step);
  }
  [[nodiscard]] bool shares_files(int layout) const override {
    return of(layout).shares_files(number(layout));
  }
  [[nodiscard]] int shared_file(int layout) const override { return at(layout).file; }
  [[nodiscard]] bool are_of_partitions() const override { return true; }
  [[nodiscard]] bool needs_places() const override { return true; }
  /// The texts of all files, packed.
  Status take_places(const std::string& places) override;
  [[nodiscard]] Index step_offset_bytes(int layout, Index step) const override {
    return of(layout).step_offset_bytes(number(layout), step);
  }
  using StepLayouts::compresses;
  [[nodiscard]] bool compresses(int layout) const override { return of(layout).compresses(number(layout)); }
  [[nodiscard]] Index compress_scratch_bytes() const override;
  Status compress(int layout, const Piece& piece, std::span<const std::byte> samples,
                  std::span<std::byte> stored, std::span<std::byte> scratch,
                  PieceRecord& record) const override {
    return of(layout).compress(number(layout), piece, samples, stored, scratch, record);
  }

 private:
  struct Place {
    int file = 0;
    int number = 0;  // of the layout among those of the file
  };
  [[nodiscard]] const Place& at(int layout) const { return places_[static_cast<std::size_t>(layout)]; }
  [[nodiscard]] int number(int layout) const { return at(layout).number; }
  [[nodiscard]] const StepLayouts& of(int layout) const {
    return *of_file_[static_cast<std::size_t>(at(layout).file)];
  }

  std::vector<std::unique_ptr<StepLayouts>> of_file_;
  std::vector<Place> places_;  // [layout]
};

}  // namespace esker::hdf5
