#include "formats/registry/open_dataset.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/readable.h"
#include "formats/registry/formats.h"
#include "formats/registry/suffix.h"
#include "store/unsynced.h"

namespace esker {
namespace {

/// Whether the file exists and is empty, after read_begin() has read nothing from it.
Result<bool> is_empty_file(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  if (!exists) return false;
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.is_directory(path));
  return !is_directory;
}

/// The file of a dataset that was given without suffix: `path` with the first suffix of a format; "" if
/// there is none.
Result<std::string> find_with_suffix(Store& store, const std::string& path) {
  for (const FormatEntry& entry : formats()) {
    const std::string& suffix = entry.suffixes.front();
    if (entry.magic.empty() || format_of_suffix(suffix) != &entry) continue;
    ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path + suffix));
    if (exists) return path + suffix;
  }
  return std::string();
}

std::string known_formats() {
  std::string titles;
  for (const FormatEntry& entry : formats()) titles += (titles.empty() ? "" : ", ") + entry.title;
  return titles;
}

Result<std::unique_ptr<OpenedDataset>> open_any(const std::shared_ptr<Store>& store,
                                                const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const std::string begin, read_begin(*store, path, kMaxMagicBytes));
  if (const FormatEntry* entry = format_of_magic(begin)) return entry->open(store, path);
  auto opened = formats().front().open(store, path);  // IDX
  if (opened.status().code() != Code::kNotFound) return opened;
  ESKER_ASSIGN_OR_RETURN(const std::string file, find_with_suffix(*store, path));
  if (!file.empty()) return open_any(store, file);
  if (begin.empty()) {
    ESKER_ASSIGN_OR_RETURN(const bool is_file, is_empty_file(*store, path));
    if (is_file) return error(Code::kDataLoss, "{}: the file is empty", path);
    return opened;
  }
  return error(Code::kDataLoss, "{}: not a dataset of a known format ({})", path, known_formats());
}

}  // namespace

Result<std::unique_ptr<OpenedDataset>> open_dataset(const std::shared_ptr<Store>& store,
                                                    const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(auto dataset, open_any(store, path));
  for (std::string& warning : dataset->warnings) warning = readable(std::move(warning));
  if (!store->is_local()) return dataset;
  if (auto warning = unsynced_warning(*store, stem_of(path)))
    dataset->warnings.push_back(std::move(*warning));
  return dataset;
}

}  // namespace esker
