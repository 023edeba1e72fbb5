#include "store/store.h"

#include "base/error.h"
#include "base/macros.h"

namespace esker {

Result<std::string> read_text(Store& store, const std::string& path, std::size_t max_bytes) {
  ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kRead));
  ESKER_ASSIGN_OR_RETURN(const Index size, file->size_bytes());
  if (static_cast<std::size_t>(size) > max_bytes) {
    return error(Code::kDataLoss, "{}: {} bytes, at most {} expected", path, size, max_bytes);
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  ESKER_RETURN_IF_ERROR(file->read_at(std::as_writable_bytes(std::span(text)), 0));
  return text;
}

}  // namespace esker
