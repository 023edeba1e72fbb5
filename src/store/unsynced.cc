// mark = "esker-unsynced" " 1 " steps " " boot "\n"
#include "store/unsynced.h"

#include <filesystem>
#include <sstream>

#include "base/error.h"
#include "base/macros.h"
#include "store/commit.h"

namespace esker {
namespace {

constexpr std::size_t kMaxMarkBytes = 4096;
constexpr const char* kMagic = "esker-unsynced";
constexpr int kVersion = 1;

std::string directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

}  // namespace

std::string unsynced_mark_path(const std::string& stem) { return stem + ".esker-unsynced"; }

Status write_unsynced_mark(Store& store, const std::string& stem, const UnsyncedMark& mark) {
  const std::string text = fmt::format("{} {} {} {}\n", kMagic, kVersion, mark.synced_steps, mark.boot);
  return replace_file(store, unsynced_mark_path(stem), text, /*durable=*/true);
}

Result<std::optional<UnsyncedMark>> read_unsynced_mark(Store& store, const std::string& stem) {
  const std::string path = unsynced_mark_path(stem);
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  if (!exists) return std::optional<UnsyncedMark>();
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, path, kMaxMarkBytes));
  std::istringstream words(text);
  std::string magic;
  int version = 0;
  UnsyncedMark mark;
  const bool is_good = words >> magic >> version >> mark.synced_steps && magic == kMagic && version == kVersion &&
                       mark.synced_steps >= 0;
  if (!is_good) return std::optional(UnsyncedMark());
  words >> mark.boot;
  return std::optional(mark);
}

Status remove_unsynced_mark(Store& store, const std::string& stem) {
  const std::string path = unsynced_mark_path(stem);
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  if (!exists) return {};
  ESKER_RETURN_IF_ERROR(store.remove(path));
  return store.sync_directory(directory_of(path));
}

std::optional<std::string> unsynced_warning(Store& store, const std::string& stem) {
  const auto mark = read_unsynced_mark(store, stem);
  if (!mark.ok() || !*mark || (!(*mark)->boot.empty() && (*mark)->boot == store.boot())) return std::nullopt;
  return fmt::format(
      "{}: only the first {} steps had reached the device when this was written. Another machine still "
      "writes the later ones, or the machine went down, and they may be damaged: `esker repair` checks them",
      unsynced_mark_path(stem), (*mark)->synced_steps);
}

}  // namespace esker
