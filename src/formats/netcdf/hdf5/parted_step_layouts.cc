#include "formats/netcdf/hdf5/parted_step_layouts.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "layout/placed_layout.h"

namespace esker::hdf5 {

PartedStepLayouts::PartedStepLayouts(const Parts& parts, std::vector<std::unique_ptr<StepLayouts>> of_file)
    : of_file_(std::move(of_file)) {
  for (int file = 0; file < parts.num_files(); ++file) {
    const StepLayouts& from = *of_file_[static_cast<std::size_t>(file)];
    const std::vector<std::size_t> fields = parts.fields_of(file);
    const int first_layout = static_cast<int>(layouts.size());
    for (Column column : from.columns) {
      column.field = static_cast<int>(fields[static_cast<std::size_t>(column.field)]);
      column.layout += first_layout;
      columns.push_back(column);
    }
    for (const auto& layout : from.layouts) {
      places_.push_back({file, static_cast<int>(layouts.size()) - first_layout});
      layouts.push_back(parts.is_partition(file)
                            ? std::make_shared<PlacedLayout>(layout, parts.boxes().box(file).lo)
                            : layout);
    }
  }
}

Status PartedStepLayouts::take_places(const std::string& places) {
  const std::vector<std::string> texts = unpack_texts(places);
  if (texts.size() != of_file_.size()) {
    return error(Code::kInternal, "the addresses of {} parts, expected {}", texts.size(), of_file_.size());
  }
  for (std::size_t file = 0; file < texts.size(); ++file) {
    ESKER_RETURN_IF_ERROR(of_file_[file]->take_places(texts[file]));
  }
  return {};
}

Index PartedStepLayouts::compress_scratch_bytes() const {
  Index most = 0;
  for (const auto& layouts_of : of_file_) most = std::max(most, layouts_of->compress_scratch_bytes());
  return most;
}

}  // namespace esker::hdf5
