#include "esker/types/status.hpp"

#include <new>

namespace esker {
namespace {

/// A text of up to 15 characters, which need no allocation. Never destroyed: it serves until the process
/// ends.
union Kept {
  explicit Kept(const char* t) : text(t) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {}
  std::string text;
};

}  // namespace

Status::Status(Code code, std::string message) noexcept : code_(code) {
  try {
    message_ = std::make_shared<const std::string>(std::move(message));
  } catch (const std::bad_alloc&) {  // message() has another text
  }
}

const std::string& Status::without_text() const {
  static const Kept empty(""), no_memory("out of memory");
  return ok() ? empty.text : no_memory.text;
}

const char* code_name(Code code) {
  switch (code) {
    case Code::kOk:
      return "ok";
    case Code::kInvalidArgument:
      return "invalid_argument";
    case Code::kOutOfRange:
      return "out_of_range";
    case Code::kNotFound:
      return "not_found";
    case Code::kAlreadyExists:
      return "already_exists";
    case Code::kWrongOrder:
      return "wrong_order";
    case Code::kMismatchedCall:
      return "mismatched_call";
    case Code::kDataLoss:
      return "data_loss";
    case Code::kIoError:
      return "io_error";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kOutOfMemory:
      return "out_of_memory";
    case Code::kInternal:
      return "internal";
    case Code::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

}  // namespace esker
