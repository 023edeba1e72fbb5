#include "store/store.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"

namespace esker {

Result<std::string> end_of_links(const Store& store, const std::string& path) {
  constexpr int kMaxLinks = 40;
  std::string here = path;
  for (int i = 0; i < kMaxLinks; ++i) {
    while (here.size() > 1 && here.ends_with('/')) here.pop_back();
    ESKER_ASSIGN_OR_RETURN(std::string next, store.follow_link(here));
    if (next == here) return here;
    here = std::move(next);
  }
  return error(Code::kIoError, "follow {}: more than {} symbolic links", path, kMaxLinks);
}

Result<std::string> read_text(Store& store, const std::string& path, std::size_t max_bytes) {
  ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kRead));
  ESKER_ASSIGN_OR_RETURN(const Index size, file->size_bytes());
  if (static_cast<std::size_t>(size) > max_bytes) {
    return error(Code::kDataLoss, "{}: {} bytes, expected at most {}", path, size, max_bytes);
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  ESKER_RETURN_IF_ERROR(file->read_at(std::as_writable_bytes(std::span(text)), 0));
  return text;
}

Result<std::string> read_begin(Store& store, const std::string& path, Index n_bytes) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  if (!exists) return std::string();
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.is_directory(path));
  if (is_directory) return std::string();
  ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kRead));
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file->size_bytes());
  std::string text(static_cast<std::size_t>(std::min(file_bytes, n_bytes)), '\0');
  ESKER_RETURN_IF_ERROR(file->read_at(std::as_writable_bytes(std::span(text)), 0));
  return text;
}

}  // namespace esker
