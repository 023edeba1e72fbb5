#include "formats/zarr/opening.h"

#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "format/schema_json.h"
#include "formats/netcdf/model/joined_components.h"
#include "formats/zarr/foreign_dataset.h"
#include "formats/zarr/paths.h"
#include "formats/zarr/zarr_dataset.h"

namespace esker::zarr {
namespace {

Result<bool> is_ours(Store& store, const Paths& paths) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(paths.group()));
  if (!exists) return false;
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, paths.group(), kMaxSidecarBytes));
  return is_of_esker(text);
}

}  // namespace

Result<std::unique_ptr<OpenedDataset>> open_zarr(const std::shared_ptr<Store>& store,
                                                 const std::string& path) {
  std::string directory = path;
  while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
  ESKER_ASSIGN_OR_RETURN(const bool has_mark, is_ours(*store, {directory}));
  Status why;
  if (has_mark) {
    bool is_damaged = false;
    auto ours = ZarrDataset::open(store, directory, &is_damaged);
    if (ours.ok()) return std::unique_ptr<OpenedDataset>(std::make_unique<ZarrDataset>(std::move(*ours)));
    why = ours.status();
    if (why.code() != Code::kDataLoss || is_damaged) return why;
  }
  auto foreign = ForeignDataset::open(store, directory);
  if (!foreign.ok()) return has_mark ? why : foreign.status();
  if (has_mark)
    foreign->warnings.push_back(
        "read as a group of another program, because Esker did not write it like this: " + why.message());
  return join_components(std::make_unique<ForeignDataset>(std::move(*foreign)));
}

}  // namespace esker::zarr
