#include "base/error.h"

#include <cerrno>
#include <new>
#include <system_error>

#include "base/guarded.h"

namespace esker {

Status system_error(int errno_value, const std::string& operation, const std::string& path) {
  const Code code = errno_value == ENOENT   ? Code::kNotFound
                    : errno_value == EEXIST ? Code::kAlreadyExists
                                            : Code::kIoError;
  return error(code, "{} {}: {}", operation, path, std::generic_category().message(errno_value));
}

Status format_error(Code code, fmt::string_view text, fmt::format_args args) noexcept {
  try {
    return {code, fmt::vformat(text, args)};
  } catch (const std::exception&) {
    return {code, "out of memory"};  // short enough to need no allocation
  }
}

Status out_of_memory(const char* operation) noexcept {
  return error(Code::kOutOfMemory, "{}: out of memory", operation);
}

Status status_of(const std::exception& exception, const char* operation) noexcept {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) return out_of_memory(operation);
  return error(Code::kInternal, "{}: {}", operation, exception.what());
}

}  // namespace esker
