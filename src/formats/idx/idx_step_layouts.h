// IdxStepLayouts: layouts, names and headers of the block files of one step, for all parts of a dataset.
#pragma once

#include <vector>

#include "format/format_writer.h"
#include "formats/idx/dataset_parts.h"
#include "formats/idx/idx_layout.h"

namespace esker::idx {

class IdxStepLayouts final : public StepLayouts {
 public:
  /// For the fields with present[field]. `parts` must outlive this object.
  IdxStepLayouts(const std::vector<Part>& parts, const std::vector<bool>& present, const StepHints& hints);

  [[nodiscard]] std::string file_path(int layout, Index file, Index step) const override;
  [[nodiscard]] bool has_checksums() const override;
  [[nodiscard]] std::uint64_t checksum(int layout, const Piece& piece,
                                       std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::vector<std::byte> file_headers(int layout, Index file, Index step,
                                                    std::span<const std::uint64_t> sums) const override;

 private:
  void add(const Part& part, const std::vector<bool>& present, const StepHints& hints);
  [[nodiscard]] const Part& part_of(int layout) const { return *part_of_layout_[layout]; }
  /// The blocks of one field in the layout's list.
  [[nodiscard]] std::uint32_t flags_of(int layout, int field) const;

  std::vector<const Part*> part_of_layout_;
};

}  // namespace esker::idx
