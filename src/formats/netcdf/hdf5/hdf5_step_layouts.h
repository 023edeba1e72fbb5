// Hdf5StepLayouts: where the samples of one step are stored in a NetCDF-4 file; one layout per variable.
#pragma once

#include <string>
#include <vector>

#include "format/format_writer.h"
#include "formats/netcdf/hdf5/netcdf4_file.h"

namespace esker::hdf5 {

class Hdf5StepLayouts final : public StepLayouts {
 public:
  /// For the fields with present[field].
  Hdf5StepLayouts(const Storage& storage, const Schema& schema, const std::vector<bool>& present,
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

 private:
  std::string path_;
  std::vector<Index> places_;  // [layout]
};

/// File offsets of all fields, in the form that take_places() takes.
std::string print_places(const std::vector<Index>& places);

}  // namespace esker::hdf5
