#include "formats/idx/leftovers.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/idx/block_set_file.h"
#include "store/commit.h"

namespace esker::idx {
namespace {

constexpr std::string_view kTimePrefix = "time_";
constexpr std::string_view kBlockSuffix = ".bin";
constexpr std::size_t kBlockDigits = 4;

/// The step whose blocks are in a directory of that name; nothing if the name is not Esker's.
std::optional<Index> step_of_directory(std::string_view name) {
  if (!name.starts_with(kTimePrefix)) return std::nullopt;
  const auto step = parse_integer(name.substr(kTimePrefix.size()));
  return step && name == fmt::format("{}{:04d}", kTimePrefix, *step) ? step : std::nullopt;
}

/// Esker creates no links: a link, and its target, belong to a user.
Result<bool> is_own_directory(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const bool is_link, store.is_link(path));
  if (is_link) return false;
  return store.is_directory(path);
}

Status add_directory(Store& store, const std::string& path, std::vector<std::string>& found) {
  ESKER_ASSIGN_OR_RETURN(const bool is_own, is_own_directory(store, path));
  if (is_own) found.push_back(path);
  return {};
}

Status add_file(Store& store, const std::string& path, std::vector<std::string>& found) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.is_directory(path));
  ESKER_ASSIGN_OR_RETURN(const bool is_link, store.is_link(path));
  if (exists && !is_directory && !is_link) found.push_back(path);
  return {};
}

/// The directory of a part's blocks. That of a single part is the dataset itself, which a user may keep
/// elsewhere and link to.
/// and link to.
Result<bool> holds_blocks(Store& store, const DatasetPaths& paths, const std::string& blocks) {
  if (blocks == paths.directory()) return true;
  return is_own_directory(store, blocks);
}

Status add_blocks(Store& store, const DatasetPaths& paths, const PartFiles& part, Index num_steps,
                  std::vector<std::string>& found) {
  const std::string blocks = dataset_stem(part.idx_path);
  if (part.fixed) return num_steps > 0 ? Status() : add_directory(store, blocks, found);
  ESKER_ASSIGN_OR_RETURN(const bool is_own, holds_blocks(store, paths, blocks));
  if (!is_own) return {};
  ESKER_ASSIGN_OR_RETURN(const auto names, store.list(blocks));
  for (const std::string& name : names) {
    const auto step = step_of_directory(name);
    if (step && *step >= num_steps) ESKER_RETURN_IF_ERROR(add_directory(store, blocks + "/" + name, found));
  }
  return {};
}

/// The number in the names of block files, "%04x.bin": of a block file, or of a directory of such.
bool is_block_number(std::string_view name) {
  return name.size() == kBlockDigits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The .idx of a run that was going to replace a directory of several, and died before (creation.h).
Status add_unborn(Store& store, const DatasetPaths& paths, const std::vector<PartFiles>& parts,
                  std::vector<std::string>& found) {
  if (parts.size() == 1 && parts.front().idx_path == paths.single_idx()) return {};
  ESKER_RETURN_IF_ERROR(add_file(store, temporary_of(paths.single_idx()), found));
  ESKER_ASSIGN_OR_RETURN(const bool is_staged, store.exists(temporary_of(paths.single_schema())));
  return is_staged ? add_file(store, paths.single_idx(), found) : Status();
}

Status refuse_link(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const bool is_link, store.is_link(path));
  if (!is_link) return {};
  return error(Code::kAlreadyExists, "{} is a symbolic link; steps are not written through links: remove it",
               path);
}

/// A name in the directory of a step, or in one of its directories of block files.
enum class StepEntry { kOther, kFile, kDirectory };

Result<StepEntry> kind_of(Store& store, const std::string& path, std::string_view name) {
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.is_directory(path));
  if (name == kBlockSetsName && !is_directory) return StepEntry::kFile;
  const bool names_file = name.ends_with(kBlockSuffix);
  if (names_file) name.remove_suffix(kBlockSuffix.size());
  if (!is_block_number(name) || names_file == is_directory) return StepEntry::kOther;
  return is_directory ? StepEntry::kDirectory : StepEntry::kFile;
}

}  // namespace

Result<std::vector<std::string>> files_of_step(Store& store, const std::string& directory) {
  std::vector<std::string> files;
  ESKER_ASSIGN_OR_RETURN(const auto names, store.list(directory));
  for (const std::string& name : names) {
    const std::string path = directory + "/" + name;
    ESKER_ASSIGN_OR_RETURN(const bool is_link, store.is_link(path));
    if (is_link) continue;
    ESKER_ASSIGN_OR_RETURN(const StepEntry kind, kind_of(store, path, name));
    if (kind == StepEntry::kFile) files.push_back(path);
    if (kind != StepEntry::kDirectory) continue;
    ESKER_ASSIGN_OR_RETURN(const auto below, files_of_step(store, path));
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

Status remove_leftover(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const bool is_link, store.is_link(path));
  if (is_link) return {};
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.is_directory(path));
  if (!is_directory) return store.remove(path);
  ESKER_ASSIGN_OR_RETURN(const auto names, store.list(path));
  for (const std::string& name : names) {
    const std::string below = path + "/" + name;
    ESKER_ASSIGN_OR_RETURN(const StepEntry kind, kind_of(store, below, name));
    if (kind != StepEntry::kOther) ESKER_RETURN_IF_ERROR(remove_leftover(store, below));
  }
  ESKER_ASSIGN_OR_RETURN(const auto left, store.list(path));
  return left.empty() ? store.remove_all(path) : Status();
}

Status check_step_place(Store& store, const DatasetPaths& paths, const std::vector<PartFiles>& parts,
                        Index step) {
  for (const PartFiles& part : parts) {
    if (part.fixed && step > 0) continue;
    const std::string blocks = dataset_stem(part.idx_path);
    if (blocks != paths.directory()) ESKER_RETURN_IF_ERROR(refuse_link(store, blocks));
    const std::string place = part.fixed ? blocks : fmt::format("{}/{}{:04d}", blocks, kTimePrefix, step);
    ESKER_RETURN_IF_ERROR(refuse_link(store, place));
    ESKER_ASSIGN_OR_RETURN(const auto names, store.list(place));
    for (const std::string& name : names) ESKER_RETURN_IF_ERROR(refuse_link(store, place + "/" + name));
  }
  return {};
}

Result<std::vector<std::string>> find_leftovers(Store& store, const DatasetPaths& paths,
                                                const std::vector<PartFiles>& parts, Index num_steps) {
  std::vector<std::string> found;
  std::vector<std::string> replaced{paths.single_schema(), paths.schema(), paths.catalog()};
  for (const PartFiles& part : parts) {
    ESKER_RETURN_IF_ERROR(add_blocks(store, paths, part, num_steps, found));
    replaced.push_back(part.idx_path);
    if (part.fixed && num_steps == 0) ESKER_RETURN_IF_ERROR(add_file(store, part.idx_path, found));
  }
  ESKER_RETURN_IF_ERROR(add_unborn(store, paths, parts, found));
  for (const std::string& path : replaced) {
    ESKER_RETURN_IF_ERROR(add_file(store, temporary_of(path), found));
  }
  return found;
}

}  // namespace esker::idx
