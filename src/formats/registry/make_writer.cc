#include "formats/registry/make_writer.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/existing.h"
#include "formats/idx/idx_writer.h"
#include "formats/registry/dual_writer.h"
#include "formats/registry/formats.h"
#include "formats/registry/suffix.h"
#include "store/commit.h"

namespace esker {
namespace {

constexpr std::string_view kAndIdx = "+idx";
constexpr std::string_view kIdx = "idx", kIdxSuffix = ".idx";

/// Strips `end` from the end of `text`, if present.
std::string without(const std::string& text, std::string_view end) {
  return text.ends_with(end) ? text.substr(0, text.size() - end.size()) : text;
}

/// The common stem of a dataset's files, and the suffix of its format, in two formats of the first one.
struct Names {
  std::string stem, suffix;
};

Names names_of(const std::string& path, const FormatEntry& entry, bool and_idx) {
  Names names{path, entry.suffixes.front()};
  while (names.stem.size() > 1 && names.stem.ends_with('/')) names.stem.pop_back();
  if (and_idx) names.stem = without(names.stem, kIdxSuffix);
  for (const std::string& suffix : entry.suffixes) {
    if (names.stem.ends_with(suffix)) names.suffix = suffix;
  }
  names.stem = without(names.stem, names.suffix);
  if (names.stem.ends_with('.')) names.stem = idx::dataset_stem(names.stem);  // "." and ".."
  return names;
}

/// Whether a dataset of that format may have a path with this suffix.
bool fits(const FormatName& format, std::string_view suffix) {
  const FormatEntry* entry = find_format(format.first);
  if (!entry) return false;
  if (format.and_idx && suffix == kIdxSuffix) return true;
  return std::find(entry->suffixes.begin(), entry->suffixes.end(), suffix) != entry->suffixes.end();
}

Result<std::unique_ptr<FormatWriter>> make_dual(const FormatEntry& first, const WriterTarget& target) {
  ESKER_ASSIGN_OR_RETURN(auto made, first.make_first_of_two(target));
  auto idx =
      std::make_unique<idx::IdxWriter>(target.store, target.stem, target.options, target.lock, target.suffix);
  return std::unique_ptr<FormatWriter>(std::make_unique<DualWriter>(std::move(made), std::move(idx)));
}

/// The origin of an option, for messages.
std::string source_of(std::string_view name, const Options& options) {
  for (const Options::Entry& entry : options.entries()) {
    if (entry.name == name) return entry.source == "built-in" ? "program" : entry.source;
  }
  return {};
}

/// The first name of the format of a file that can be one of two; "" for any other file, or no file.
Result<std::string> format_beside_idx(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const FormatEntry* entry, format_of_file(store, path));
  return entry && entry->make_first_of_two ? entry->names.front() : std::string();
}

Result<bool> idx_exists(Store& store, const idx::DatasetPaths& paths) {
  ESKER_ASSIGN_OR_RETURN(const bool has_catalog, store.exists(paths.catalog()));
  if (has_catalog) return true;
  return store.exists(paths.single_idx());
}

/// For an IDX dataset. The file of another format may only exist under its temporary name (dual_writer.h). A
/// user who has removed it continues with the IDX dataset.
Result<AppendTarget> find_idx_target(Store& store, const std::string& path, const idx::DatasetPaths& paths) {
  ESKER_ASSIGN_OR_RETURN(const std::string suffix, idx::find_other_suffix(store, paths));
  if (suffix.empty()) return AppendTarget{path, "idx"};
  const std::string other = paths.stem + suffix;
  for (const std::string& file : {other, temporary_of(other)}) {
    ESKER_ASSIGN_OR_RETURN(const std::string format, format_beside_idx(store, file));
    if (!format.empty()) return AppendTarget{other, format + std::string(kAndIdx)};
  }
  if (const FormatEntry* entry = format_of_suffix(suffix); entry && !entry->indexes.empty()) {
    ESKER_ASSIGN_OR_RETURN(const bool is_staged,
                           store.exists(temporary_of(other + "/" + entry->indexes.front())));
    if (is_staged) return AppendTarget{other, entry->names.front() + std::string(kAndIdx)};
  }
  return AppendTarget{path, "idx"};
}

/// For a file of that format.
Result<AppendTarget> find_file_target(Store& store, const std::string& path, const FormatEntry& entry) {
  const std::string& format = entry.names.front();
  if (!entry.make_first_of_two) return AppendTarget{path, format};
  const Names names = names_of(path, entry, false);
  const idx::DatasetPaths paths{names.stem};
  ESKER_ASSIGN_OR_RETURN(const bool is_there, idx_exists(store, paths));
  if (!is_there) return AppendTarget{path, format};
  ESKER_ASSIGN_OR_RETURN(const std::string suffix, idx::find_other_suffix(store, paths));
  return AppendTarget{path, suffix == names.suffix ? format + std::string(kAndIdx) : format};
}

}  // namespace

FormatName split_format(std::string_view format) {
  const bool and_idx = format.ends_with(kAndIdx);
  if (and_idx) format.remove_suffix(kAndIdx.size());
  return {std::string(format), and_idx};
}

Result<std::string> choose_format(const std::string& path, const Options& options) {
  const std::string& format = options.format;
  const std::string_view suffix = suffix_of(path);
  if (format == "auto") return suffix.empty() ? std::string(kIdx) : format_of_suffix(suffix)->names.front();
  if (suffix.empty() || fits(split_format(format), suffix)) return format;
  return error(
      Code::kInvalidArgument,
      "{}: the suffix {} is of {}, but the option format is {} (set by: {}); leave out the suffix, or "
      "change one of them",
      path, suffix, format_of_suffix(suffix)->title, format, source_of("format", options));
}

Result<AppendTarget> find_append_target(Store& store, const std::string& path, const std::string& format) {
  if (format != "auto") return AppendTarget{path, format};
  ESKER_ASSIGN_OR_RETURN(const FormatEntry* of_file, format_of_file(store, path));
  if (of_file) return find_file_target(store, path, *of_file);
  const idx::DatasetPaths paths{names_of(path, *find_format(kIdx), false).stem};
  ESKER_ASSIGN_OR_RETURN(const bool is_there, idx_exists(store, paths));
  if (is_there) return find_idx_target(store, path, paths);
  if (!suffix_of(path).empty()) return AppendTarget{path, format};
  for (const std::string& suffix : all_suffixes()) {
    if (suffix == kIdxSuffix) continue;
    const std::string file = paths.stem + suffix;
    ESKER_ASSIGN_OR_RETURN(const FormatEntry* found, format_of_file(store, file));
    if (found) return AppendTarget{file, found->names.front()};
  }
  return AppendTarget{path, format};
}

Result<std::unique_ptr<FormatWriter>> make_format_writer(std::shared_ptr<Store> store,
                                                         const std::string& path, const Options& options) {
  ESKER_ASSIGN_OR_RETURN(const std::string format, choose_format(path, options));
  const FormatName parts = split_format(format);
  const FormatEntry* entry = find_format(parts.first);
  if (!entry || (parts.and_idx && !entry->make_first_of_two)) {
    return error(Code::kUnsupported, "format '{}' is not written", format);
  }
  Names names = names_of(path, *entry, parts.and_idx);
  auto lock = std::make_shared<WriterLock>(store, names.stem + ".esker-lock");
  const WriterTarget target{std::move(store), std::move(names.stem), std::move(names.suffix), parts.first,
                            options,          std::move(lock)};
  return parts.and_idx ? make_dual(*entry, target) : entry->make_writer(target);
}

}  // namespace esker
