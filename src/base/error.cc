#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace esker {

Status system_error(int errno_value, const std::string& operation, const std::string& path) {
  const Code code = errno_value == ENOENT   ? Code::kNotFound
                    : errno_value == EEXIST ? Code::kAlreadyExists
                                            : Code::kIoError;
  return error(code, "{} {}: {}", operation, path, std::generic_category().message(errno_value));
}

Status out_of_memory(const char* operation) noexcept {
  try {
    return error(Code::kOutOfMemory, "{}: out of memory", operation);
  } catch (const std::exception&) {
    return {Code::kOutOfMemory, "out of memory"};  // short enough to need no allocation
  }
}

}  // namespace esker
