#include "formats/registry/formats.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "formats/registry/built_in.h"
#include "formats/registry/suffix.h"

namespace esker {
namespace {

std::deque<FormatEntry>& list() {
  static std::deque<FormatEntry> entries = built_in_formats();
  return entries;
}

bool is_complete(const FormatEntry& entry) {
  const auto magic_bytes = static_cast<Index>(entry.magic.size());
  return !entry.names.empty() && !entry.suffixes.empty() && 1 <= magic_bytes &&
         magic_bytes <= kMaxMagicBytes && entry.make_writer != nullptr && entry.open != nullptr;
}

/// Whether to ask for the index of a dataset that is a directory. Servers tell directories by their suffix
/// only, or that of a directory around them.
Result<bool> may_be_directory_of(const Store& store, const std::string& path, const FormatEntry& entry) {
  if (entry.indexes.empty()) return false;
  const std::string_view suffix = suffix_of(path);
  if (std::find(entry.suffixes.begin(), entry.suffixes.end(), suffix) != entry.suffixes.end()) return true;
  const auto is_in_one = [&](const std::string& known) {
    return path.find(known + "/") != std::string::npos;
  };
  if (std::any_of(entry.suffixes.begin(), entry.suffixes.end(), is_in_one)) return true;
  return suffix.empty() ? store.is_directory(path) : Result<bool>(false);
}

}  // namespace

const std::deque<FormatEntry>& formats() { return list(); }

Status register_format(FormatEntry entry) {
  if (!is_complete(entry)) {
    return error(Code::kInvalidArgument,
                 "register_format '{}': expected a name, a suffix, 1 to {} magic bytes, and the functions "
                 "make_writer and open",
                 entry.names.empty() ? "" : entry.names.front(), kMaxMagicBytes);
  }
  for (const std::string& name : entry.names) {
    if (find_format(name))
      return error(Code::kAlreadyExists, "register_format: the format '{}' exists", name);
  }
  for (const FormatEntry& other : formats()) {
    if (other.magic.empty()) continue;
    if (!entry.magic.starts_with(other.magic) && !other.magic.starts_with(entry.magic)) continue;
    return error(Code::kAlreadyExists, "register_format '{}': its magic bytes are those of format '{}'",
                 entry.names.front(), other.names.front());
  }
  list().push_back(std::move(entry));
  return {};
}

const FormatEntry* find_format(std::string_view name) {
  for (const FormatEntry& entry : formats()) {
    if (std::find(entry.names.begin(), entry.names.end(), name) != entry.names.end()) return &entry;
  }
  return nullptr;
}

const FormatEntry* format_of_magic(std::string_view begin) {
  for (const FormatEntry& entry : formats()) {
    if (!entry.magic.empty() && begin.starts_with(entry.magic)) return &entry;
  }
  return nullptr;
}

Result<const FormatEntry*> format_of_file(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const std::string begin, read_begin(store, path, kMaxMagicBytes));
  if (const FormatEntry* entry = format_of_magic(begin)) return entry;
  for (const FormatEntry& entry : formats()) {
    ESKER_ASSIGN_OR_RETURN(const bool may_be, may_be_directory_of(store, path, entry));
    for (const std::string& index : may_be ? entry.indexes : std::vector<std::string>()) {
      ESKER_ASSIGN_OR_RETURN(const bool exists,
                             store.exists(std::string(without_slashes(path)) + "/" + index));
      if (exists) return &entry;
    }
  }
  return nullptr;
}

}  // namespace esker
