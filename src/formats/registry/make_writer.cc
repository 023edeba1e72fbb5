#include "formats/registry/make_writer.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/existing.h"
#include "formats/registry/dual_writer.h"
#include "formats/registry/formats.h"
#include "formats/registry/suffix.h"
#include "formats/zarr/existing.h"
#include "formats/zarr/paths.h"
#include "store/commit.h"
#include "store/lock.h"

namespace esker {
namespace {

constexpr std::string_view kIdx = "idx", kIdxSuffix = ".idx";
constexpr std::string_view kZarr = "zarr";

/// Strips `end` from the end of `text`, if present.
std::string without(const std::string& text, std::string_view end) {
  return text.ends_with(end) ? text.substr(0, text.size() - end.size()) : text;
}

/// The common stem of a dataset's files, and the suffix of its format, in two formats of the first one.
struct Names {
  std::string stem, suffix;
};

Names names_of(const std::string& path, const FormatEntry& entry, const FormatEntry* second = nullptr) {
  Names names{path, entry.suffixes.front()};
  while (names.stem.size() > 1 && names.stem.ends_with('/')) names.stem.pop_back();
  if (second) names.stem = without(names.stem, second->suffixes.front());
  for (const std::string& suffix : entry.suffixes) {
    if (names.stem.ends_with(suffix)) names.suffix = suffix;
  }
  names.stem = without(names.stem, names.suffix);
  if (names.stem.ends_with('.')) names.stem = idx::dataset_stem(names.stem);  // "." and ".."
  return names;
}

/// Whether a dataset of that format may have a path with this suffix.
bool fits(const FormatName& format, std::string_view suffix) {
  const auto has_suffix = [&](const FormatEntry* entry) {
    return entry && std::ranges::find(entry->suffixes, suffix) != entry->suffixes.end();
  };
  return has_suffix(find_format(format.first)) || has_suffix(find_format(format.second));
}

Result<std::unique_ptr<FormatWriter>> make_dual(const FormatEntry& first, const FormatEntry& second,
                                                const WriterTarget& target) {
  ESKER_ASSIGN_OR_RETURN(auto made, first.make_first_of_two(target));
  ESKER_ASSIGN_OR_RETURN(auto other, second.make_second_of_two(target));
  const bool is_idx = second.names.front() == kIdx;
  std::string name =
      is_idx ? "the IDX dataset " + target.stem : "the Zarr group " + target.stem + second.suffixes.front();
  return std::unique_ptr<FormatWriter>(
      std::make_unique<DualWriter>(std::move(made), std::move(other), std::move(name)));
}

/// The origin of an option, for messages.
std::string source_of(std::string_view name, const Options& options) {
  for (const Options::Entry& entry : options.entries()) {
    if (entry.name == name) return entry.source == "built-in" ? "program" : entry.source;
  }
  return {};
}

bool can_be_first(const FormatEntry& entry, std::string_view second) {
  return entry.make_first_of_two && std::ranges::find(entry.seconds, second) != entry.seconds.end();
}

/// The name of the format.
std::string both(const FormatEntry& first, std::string_view second) {
  return first.names.front() + "+" + std::string(second);
}

/// The first half of a dataset in two formats, whose suffix the second one records. It may only exist under
/// its temporary name (dual_writer.h). Nothing if a user has removed it, who continues with the other half.
Result<std::optional<AppendTarget>> find_first_half(Store& store, const std::string& other,
                                                    std::string_view suffix, std::string_view second) {
  for (const std::string& file : {other, temporary_of(other)}) {
    ESKER_ASSIGN_OR_RETURN(const FormatEntry* entry, format_of_file(store, file));
    if (entry && can_be_first(*entry, second))
      return std::optional(AppendTarget{other, both(*entry, second)});
  }
  const FormatEntry* entry = format_of_suffix(suffix);
  if (!entry || entry->indexes.empty()) return std::optional<AppendTarget>();
  ESKER_ASSIGN_OR_RETURN(const bool is_staged,
                         store.exists(temporary_of(other + "/" + entry->indexes.front())));
  return is_staged ? std::optional(AppendTarget{other, both(*entry, second)}) : std::nullopt;
}

Result<bool> idx_exists(Store& store, const idx::DatasetPaths& paths) {
  ESKER_ASSIGN_OR_RETURN(const bool has_catalog, store.exists(paths.catalog()));
  if (has_catalog) return true;
  return store.exists(paths.single_idx());
}

/// For an IDX dataset.
Result<AppendTarget> find_idx_target(Store& store, const std::string& path, const idx::DatasetPaths& paths) {
  ESKER_ASSIGN_OR_RETURN(const std::string suffix, idx::find_other_suffix(store, paths));
  if (suffix.empty()) return AppendTarget{path, std::string(kIdx)};
  ESKER_ASSIGN_OR_RETURN(const auto found, find_first_half(store, paths.stem + suffix, suffix, kIdx));
  return found.value_or(AppendTarget{path, std::string(kIdx)});
}

/// For a Zarr group that belongs to no IDX dataset.
Result<AppendTarget> find_zarr_target(Store& store, const std::string& path, const std::string& stem) {
  ESKER_ASSIGN_OR_RETURN(const std::string suffix,
                         zarr::find_other_suffix(store, zarr::Paths::of_stem(stem)));
  if (suffix.empty()) return AppendTarget{path, std::string(kZarr)};
  ESKER_ASSIGN_OR_RETURN(const auto found, find_first_half(store, stem + suffix, suffix, kZarr));
  return found.value_or(AppendTarget{path, std::string(kZarr)});
}

/// For a file of that format.
Result<AppendTarget> find_file_target(Store& store, const std::string& path, const FormatEntry& entry) {
  const std::string& format = entry.names.front();
  if (!entry.make_first_of_two) return AppendTarget{path, format};
  const Names names = names_of(path, entry);
  const idx::DatasetPaths paths{names.stem};
  ESKER_ASSIGN_OR_RETURN(const bool is_there, idx_exists(store, paths));
  if (is_there) {
    ESKER_ASSIGN_OR_RETURN(const std::string suffix, idx::find_other_suffix(store, paths));
    if (suffix == names.suffix) return AppendTarget{path, both(entry, kIdx)};
  }
  if (format == kZarr) return find_zarr_target(store, path, names.stem);
  if (!can_be_first(entry, kZarr)) return AppendTarget{path, format};
  ESKER_ASSIGN_OR_RETURN(const std::string suffix,
                         zarr::find_other_suffix(store, zarr::Paths::of_stem(names.stem)));
  return AppendTarget{path, suffix == names.suffix ? both(entry, kZarr) : format};
}

}  // namespace

FormatName split_format(std::string_view format) {
  const std::size_t plus = format.find('+');
  if (plus == std::string_view::npos || plus + 1 == format.size()) return {std::string(format)};
  return {std::string(format.substr(0, plus)), std::string(format.substr(plus + 1))};
}

bool is_written(const FormatName& format) {
  const FormatEntry* entry = find_format(format.first);
  return entry && (format.second.empty() || can_be_first(*entry, format.second));
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
  const idx::DatasetPaths paths{names_of(path, *find_format(kIdx)).stem};
  ESKER_ASSIGN_OR_RETURN(const bool is_there, idx_exists(store, paths));
  if (is_there) return find_idx_target(store, path, paths);
  if (!suffix_of(path).empty()) return AppendTarget{path, format};
  for (const std::string& suffix : all_suffixes()) {
    if (suffix == kIdxSuffix) continue;
    const std::string file = paths.stem + suffix;
    ESKER_ASSIGN_OR_RETURN(const FormatEntry* found, format_of_file(store, file));
    if (found) return find_file_target(store, file, *found);
  }
  return AppendTarget{path, format};
}

Result<std::unique_ptr<FormatWriter>> make_format_writer(std::shared_ptr<Store> store,
                                                         const std::string& path, const Options& options,
                                                         std::shared_ptr<WriterLock> lock) {
  ESKER_ASSIGN_OR_RETURN(const std::string format, choose_format(path, options));
  const FormatName parts = split_format(format);
  if (!is_written(parts)) return error(Code::kUnsupported, "format '{}' is not written", format);
  const FormatEntry* entry = find_format(parts.first);
  const FormatEntry* second = parts.second.empty() ? nullptr : find_format(parts.second);
  Names names = names_of(path, *entry, second);
  const std::string lock_path = names.stem + kLockSuffix;
  if (!lock || lock->path() != lock_path) lock = std::make_shared<WriterLock>(store, lock_path);
  const WriterTarget target{std::move(store), std::move(names.stem), std::move(names.suffix), parts.first,
                            options,          std::move(lock)};
  return second ? make_dual(*entry, *second, target) : entry->make_writer(target);
}

}  // namespace esker
