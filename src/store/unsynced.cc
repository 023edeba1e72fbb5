// marker = "esker-unsynced" " 1 " steps " " boot "\n"
#include "store/unsynced.h"

#include <sstream>

#include "base/error.h"
#include "base/macros.h"
#include "store/commit.h"

namespace esker {
namespace {

constexpr std::size_t kMaxMarkerBytes = 4096;
constexpr const char* kMagic = "esker-unsynced";
constexpr int kVersion = 1;

}  // namespace

std::string unsynced_marker_path(const std::string& stem) { return stem + ".esker-unsynced"; }

Status write_unsynced_marker(Store& store, const std::string& stem, const UnsyncedMarker& marker) {
  const std::string text = fmt::format("{} {} {} {}\n", kMagic, kVersion, marker.synced_steps, marker.boot);
  return replace_file(store, unsynced_marker_path(stem), text, /*durable=*/true);
}

Result<std::optional<UnsyncedMarker>> read_unsynced_marker(Store& store, const std::string& stem) {
  const std::string path = unsynced_marker_path(stem);
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  if (!exists) return std::optional<UnsyncedMarker>();
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, path, kMaxMarkerBytes));
  std::istringstream words(text);
  std::string magic;
  int version = 0;
  UnsyncedMarker marker;
  const bool is_good = words >> magic >> version >> marker.synced_steps && magic == kMagic &&
                       version == kVersion && marker.synced_steps >= 0;
  if (!is_good) return std::optional(UnsyncedMarker());
  words >> marker.boot;
  return std::optional(marker);
}

Status remove_unsynced_marker(Store& store, const std::string& stem) {
  const std::string path = unsynced_marker_path(stem);
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  if (!exists) return {};
  ESKER_RETURN_IF_ERROR(store.remove(path));
  return store.sync_directory(directory_of(path));
}

std::optional<std::string> unsynced_warning(Store& store, const std::string& stem) {
  const auto marker = read_unsynced_marker(store, stem);
  if (!marker.ok() || !*marker || (!(*marker)->boot.empty() && (*marker)->boot == store.boot()))
    return std::nullopt;
  return fmt::format(
      "{}: only the first {} steps had reached the device when this file was written. Another machine still "
      "writes the later ones, or the machine went down and they may be damaged: `esker repair` checks them",
      unsynced_marker_path(stem), (*marker)->synced_steps);
}

}  // namespace esker
