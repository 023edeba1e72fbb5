#include "formats/zarr/leftovers.h"

#include "base/checked.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/json_text.h"
#include "format/schema_json.h"

namespace esker::zarr {
namespace {

Status find_in_array(Store& store, const Paths& paths, const Group& group, const Array& array,
                     Findings& findings) {
  if (!array.has_steps(group.time)) return {};
  ESKER_ASSIGN_OR_RETURN(const auto names, store.list(paths.files_of(array)));
  for (const std::string& name : names) {
    if (parse_integer(name).value_or(-1) < div_up(group.num_steps, array.file.front())) continue;
    findings.warning(paths.files_of(array) + "/" + name, "of a step that is not committed");
  }
  const std::string path = paths.metadata_of(array);
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  if (!exists) return {};
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, path, kMaxSidecarBytes));
  ESKER_ASSIGN_OR_RETURN(const JsonHolder metadata, parse_json_object(text, kMaxSidecarBytes));
  ESKER_ASSIGN_OR_RETURN(const std::vector<Index> shape, get_integers(metadata.json, "shape"));
  if (!shape.empty() && shape.front() > group.num_steps) {
    findings.warning(path,
                     "has a step that is not committed: a program that does not look at the group sees it");
  }
  return {};
}

}  // namespace

Status find_leftovers(Store& store, const Paths& paths, const Group& group, Findings& findings) {
  if (!store.is_local()) return {};
  ESKER_ASSIGN_OR_RETURN(const bool is_staged, store.is_directory(paths.staged()));
  if (is_staged) findings.warning(paths.staged(), "a creation was killed");
  for (const Array& array : group.arrays)
    ESKER_RETURN_IF_ERROR(find_in_array(store, paths, group, array, findings));
  return {};
}

}  // namespace esker::zarr
