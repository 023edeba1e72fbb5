// CdfStepLayouts: where the samples of one step are stored in a CDF file; one layout per variable.
#pragma once

#include <string>
#include <vector>

#include "format/format_writer.h"
#include "formats/netcdf/cdf/cdf_file.h"

namespace esker::cdf {

class CdfStepLayouts final : public StepLayouts {
 public:
  /// For the fields with present[field]. `file` must outlive this object.
  CdfStepLayouts(const StoredSchema& file, const Schema& schema, const std::vector<bool>& present,
                 const StepHints& hints, std::string path);

  [[nodiscard]] std::string file_path(int /*layout*/, Index /*file*/, Index /*step*/) const override {
    return path_;
  }
  [[nodiscard]] bool shares_files(int /*layout*/) const override { return true; }
  /// False with stripes if the variables of the step begin at another position within them.
  [[nodiscard]] bool fits(Index step) const override;
  [[nodiscard]] Index step_offset_bytes(int layout, Index step) const override;
  void encode(int layout, const Piece& piece, std::span<std::byte> bytes) const override;
  [[nodiscard]] bool has_encoding() const override { return true; }

 private:
  [[nodiscard]] std::unique_ptr<Layout> make_layout(const Box& box, Index sample_bytes, int variable,
                                                    int dense_axis) const;

  const StoredSchema& file_;
  StepHints hints_;
  std::string path_;
  std::vector<int> variable_of_layout_;
};

}  // namespace esker::cdf
