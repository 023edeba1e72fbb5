#include "format/idx/leftovers.h"

#include <fmt/format.h>

#include "base/macros.h"
#include "base/text.h"
#include "store/commit.h"

namespace esker::idx {
namespace {

constexpr std::string_view kTimePrefix = "time_";

/// The step whose blocks stand in a directory of that name; nothing if it is none of ours.
std::optional<Index> step_of_directory(std::string_view name) {
  if (!name.starts_with(kTimePrefix)) return std::nullopt;
  const auto step = parse_integer(name.substr(kTimePrefix.size()));
  return step && name == fmt::format("{}{:04d}", kTimePrefix, *step) ? step : std::nullopt;
}

Status add_directory(Store& store, const std::string& path, std::vector<std::string>& found) {
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.is_directory(path));
  if (is_directory) found.push_back(path);
  return {};
}

Status add_file(Store& store, const std::string& path, std::vector<std::string>& found) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.is_directory(path));
  if (exists && !is_directory) found.push_back(path);
  return {};
}

Status add_blocks(Store& store, const PartFiles& part, Index num_steps, std::vector<std::string>& found) {
  const std::string blocks = dataset_stem(part.idx_path);
  if (part.fixed) return num_steps > 0 ? Status() : add_directory(store, blocks, found);
  ESKER_ASSIGN_OR_RETURN(const auto names, store.list(blocks));
  for (const std::string& name : names) {
    const auto step = step_of_directory(name);
    if (step && *step >= num_steps) ESKER_RETURN_IF_ERROR(add_directory(store, blocks + "/" + name, found));
  }
  return {};
}

/// "0000.bin", or a directory of such, "0000".
bool is_block_name(std::string_view name) {
  if (name.ends_with(".bin")) name.remove_suffix(4);
  return !name.empty() && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

Status remove_leftover(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.is_directory(path));
  if (!is_directory) return store.remove(path);
  ESKER_ASSIGN_OR_RETURN(const auto names, store.list(path));
  for (const std::string& name : names) {
    if (is_block_name(name)) ESKER_RETURN_IF_ERROR(remove_leftover(store, path + "/" + name));
  }
  ESKER_ASSIGN_OR_RETURN(const auto left, store.list(path));
  return left.empty() ? store.remove_all(path) : Status();
}

Result<std::vector<std::string>> find_leftovers(Store& store, const DatasetPaths& paths,
                                                const std::vector<PartFiles>& parts, Index num_steps) {
  std::vector<std::string> found;
  std::vector<std::string> replaced{paths.single_schema(), paths.schema(), paths.catalog()};
  for (const PartFiles& part : parts) {
    ESKER_RETURN_IF_ERROR(add_blocks(store, part, num_steps, found));
    replaced.push_back(part.idx_path);
    if (part.fixed && num_steps == 0) ESKER_RETURN_IF_ERROR(add_file(store, part.idx_path, found));
  }
  for (const std::string& path : replaced) {
    ESKER_RETURN_IF_ERROR(add_file(store, temporary_of(path), found));
  }
  return found;
}

}  // namespace esker::idx
