#include "tune/knowledge.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "base/macros.h"
#include "store/commit.h"
#include "tune/setting_json.h"

namespace esker {
namespace {

constexpr int kFormat = 1;
constexpr std::size_t kMaxBytes = 1 << 20;
constexpr std::size_t kMaxEntries = 200;

struct Entry {
  std::string key;
  Setting setting;
};

Result<std::vector<Entry>> parse_entries(const std::string& text) {
  ESKER_ASSIGN_OR_RETURN(const JsonHolder file, parse_json_object(text, kMaxBytes));
  ESKER_RETURN_IF_ERROR(check_format(file.json, kFormat));
  ESKER_ASSIGN_OR_RETURN(const Json* settings, get_array(file.json, "settings"));
  std::vector<Entry> entries;
  for (const Json& json : *settings) {
    Entry& entry = entries.emplace_back();
    ESKER_ASSIGN_OR_RETURN(entry.key, get_text(json, "key"));
    ESKER_ASSIGN_OR_RETURN(entry.setting, get_setting(json, "setting"));
  }
  return entries;
}

/// The oldest entry first; none if there is no file.
Result<std::vector<Entry>> read_entries(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  if (!exists) return std::vector<Entry>();
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, path, kMaxBytes));
  Result<std::vector<Entry>> entries = parse_entries(text);
  return entries.ok() ? std::move(entries) : entries.status().with_context(path);
}

std::string print_entries(const std::vector<Entry>& entries) {
  JsonWriter json(1);
  json.object([&] {
    json.key("format").integer(kFormat);
    json.key("settings").array([&] {
      for (const Entry& entry : entries) {
        json.object([&] {
          json.key("key").text(entry.key);
          write_setting(json.key("setting"), entry.setting);
        });
      }
    });
  });
  return json.take() + "\n";
}

}  // namespace

std::string knowledge_path() {
  const auto absolute = [](const char* variable) -> std::string {
    const char* value = std::getenv(variable);
    return value && *value == '/' ? value : "";
  };
  if (const std::string cache = absolute("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/esker/tuning.json";
  const std::string home = absolute("HOME");
  return home.empty() ? "" : home + "/.cache/esker/tuning.json";
}

std::string machine_name() {
  std::array<char, 256> buffer{};
  if (::gethostname(buffer.data(), buffer.size() - 1) != 0) return {};
  std::string name(buffer.data());
  std::erase_if(name, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  return name;
}

Result<std::optional<Setting>> recall(Store& store, const std::string& path, const std::string& key) {
  ESKER_ASSIGN_OR_RETURN(const std::vector<Entry> entries, read_entries(store, path));
  const auto entry = std::ranges::find(entries, key, &Entry::key);
  return entry == entries.end() ? std::nullopt : std::optional(entry->setting);
}

Status remember(Store& store, const std::string& path, const std::string& key, const Setting& setting) {
  Result<std::vector<Entry>> known = read_entries(store, path);
  if (!known.ok() && known.status().code() != Code::kDataLoss) return known.status();
  std::vector<Entry> entries = known.ok() ? std::move(*known) : std::vector<Entry>();
  std::erase_if(entries, [&](const Entry& entry) { return entry.key == key; });
  if (entries.size() >= kMaxEntries) entries.erase(entries.begin());
  entries.push_back({key, setting});
  // Runs in several containers, or on several nodes, may have the same process id.
  const std::string temporary =
      fmt::format("{}.{:08x}{:08x}", path, std::random_device()(), std::random_device()());
  ESKER_RETURN_IF_ERROR(stage_file(store, temporary, print_entries(entries), false));
  Status renamed = store.rename(temporary_of(temporary), path);
  if (!renamed.ok()) (void)store.remove(temporary_of(temporary));
  return renamed;
}

}  // namespace esker
