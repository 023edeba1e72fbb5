#include "esker/dataset_name.hpp"

#include "api/within_memory.h"
#include "base/macros.h"
#include "formats/registry/make_writer.h"
#include "formats/registry/suffix.h"
#include "store/store.h"

namespace esker {

DatasetName split_name(std::string_view path) {
  const std::string_view suffix = suffix_of(path);
  if (suffix.empty()) return {stem_of(path), "", ""};
  return {stem_of(path), std::string(suffix), format_of_suffix(suffix)->names.front()};
}

std::vector<std::string> dataset_suffixes() { return all_suffixes(); }

Result<FoundDataset> find_dataset(const std::string& path) {
  return within_memory([&]() -> Result<FoundDataset> {
    ESKER_ASSIGN_OR_RETURN(AppendTarget found, find_append_target(*posix_store(), path, "auto"));
    if (found.format == "auto") return FoundDataset{path, ""};
    return FoundDataset{std::move(found.path), std::move(found.format)};
  });
}

}  // namespace esker
