// Errors with formatted texts: `return error(Code::kOutOfRange, "level {} of {}", level, max);`
#pragma once

#include <fmt/format.h>

#include "esker/types/status.hpp"

namespace esker {

/// Does not throw: without memory for its text it has another one.
Status format_error(Code code, fmt::string_view text, fmt::format_args args) noexcept;

template <class... Args>
Status error(Code code, fmt::format_string<Args...> text, Args&&... args) noexcept {
  return format_error(code, text, fmt::make_format_args(args...));
}

/// kIoError (kNotFound for ENOENT) with the operation, the path, and the system's reason.
Status system_error(int errno_value, const std::string& operation, const std::string& path);

/// kOutOfMemory. Does not throw: if its own text cannot be allocated, the text is shorter.
Status out_of_memory(const char* operation) noexcept;

}  // namespace esker
