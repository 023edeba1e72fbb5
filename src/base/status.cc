#include "esker/types/status.hpp"

namespace esker {

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
