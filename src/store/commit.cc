#include "store/commit.h"

#include <filesystem>

#include "base/macros.h"

namespace esker {

Status edit_file(Store& store, const std::string& path, const FileEdit& edit, bool durable) {
  ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kWrite));
  ESKER_RETURN_IF_ERROR(edit(*file));
  if (durable) ESKER_RETURN_IF_ERROR(file->sync());
  return file->close();
}

std::string temporary_of(const std::string& path) { return path + ".tmp"; }

Status stage_file(Store& store, const std::string& path, const std::string& text, bool durable) {
  return stage_file(
      store, path, [&](File& file) { return file.write_at(std::as_bytes(std::span(text)), 0); }, durable);
}

Status stage_file(Store& store, const std::string& path, const FileEdit& write, bool durable) {
  const std::string temporary = temporary_of(path);
  Status status = store.remove(temporary);  // open() never truncates
  if (status.ok()) status = edit_file(store, temporary, write, durable);
  if (!status.ok()) (void)store.remove(temporary);
  return status;
}

Status publish_file(Store& store, const std::string& path, bool durable) {
  ESKER_RETURN_IF_ERROR(store.rename(temporary_of(path), path));
  return durable ? store.sync_directory(directory_of(path)) : Status();
}

Status replace_file(Store& store, const std::string& path, const std::string& text, bool durable) {
  ESKER_RETURN_IF_ERROR(stage_file(store, path, text, durable));
  const Status status = publish_file(store, path, durable);
  if (!status.ok()) (void)store.remove(temporary_of(path));
  return status;
}

std::string directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

Status make_directories(Store& store, const std::string& directory, bool durable) {
  if (directory.empty()) return {};
  std::vector<std::string> holders;  // parents of the missing directories
  for (std::filesystem::path path = directory; path.has_relative_path(); path = path.parent_path()) {
    ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path.string()));
    if (exists) break;
    holders.push_back(directory_of(path.string()));
  }
  ESKER_RETURN_IF_ERROR(store.make_directories(directory));
  if (!durable) return {};
  for (const std::string& holder : holders) ESKER_RETURN_IF_ERROR(store.sync_directory(holder));
  return {};
}

}  // namespace esker
