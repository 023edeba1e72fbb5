#include "formats/registry/open_dataset.h"

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/readable.h"
#include "formats/idx/dataset_parts.h"
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

/// The files that a dataset may be in that was given without suffix: `path` with the first suffix of a
/// format.
std::vector<std::string> with_suffixes(const std::string& path) {
  std::vector<std::string> files;
  for (const FormatEntry& entry : formats()) {
    const std::string& suffix = entry.suffixes.front();
    const bool is_idx = &entry == &formats().front();
    if (!is_idx && format_of_suffix(suffix) == &entry) files.push_back(path + suffix);
  }
  return files;
}

/// The first of these files that exists; "" if there is none.
Result<std::string> find_first(Store& store, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(file));
    if (exists) return file;
  }
  return std::string();
}

/// `not_idx`: the error of the search for an IDX dataset.
Status no_dataset(const std::string& path, const Status& not_idx) {
  const std::string_view suffix = suffix_of(path);
  if (suffix.empty()) {
    const std::string stem = stem_of(path);
    return error(Code::kNotFound, "{}: no such dataset (looked for {}{}, {}/{}, {})", path, stem,
                 formats().front().suffixes.front(), stem, idx::kCatalogName,
                 fmt::join(with_suffixes(stem), ", "));
  }
  if (format_of_suffix(suffix) == &formats().front()) return not_idx;
  return error(Code::kNotFound, "{}: no such file", path);
}

std::string known_formats() {
  std::string titles;
  for (const FormatEntry& entry : formats()) titles += (titles.empty() ? "" : ", ") + entry.title;
  return titles;
}

Result<std::unique_ptr<OpenedDataset>> open_any(const std::shared_ptr<Store>& store,
                                                const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const FormatEntry* entry, format_of_file(*store, path));
  if (entry) return entry->open(store, path);
  auto opened = formats().front().open(store, path);  // IDX
  if (opened.status().code() != Code::kNotFound) return opened;
  ESKER_ASSIGN_OR_RETURN(const std::string file, find_first(*store, with_suffixes(path)));
  if (!file.empty()) return open_any(store, file);
  ESKER_ASSIGN_OR_RETURN(const std::string begin, read_begin(*store, path, kMaxMagicBytes));
  if (begin.empty()) {
    ESKER_ASSIGN_OR_RETURN(const bool is_file, is_empty_file(*store, path));
    if (is_file) return error(Code::kDataLoss, "{}: the file is empty", path);
    return no_dataset(path, opened.status());
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
