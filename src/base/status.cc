#include "esker/types/status.hpp"

#include <atomic>
#include <cstddef>
#include <new>

#include "base/error.h"

namespace esker {

/// What statuses share.
struct Status::Failure {
  Failure(Code failed, std::string message) : code(failed), text(std::move(message)) {}

  std::atomic<int> num_statuses{1};
  const Code code;
  const std::string text;

  static Failure* without_memory(Code code) noexcept;
};

/// One for each code. They are never destroyed, and serve until the process ends. Allocates nothing: their
/// text is short.
Status::Failure* Status::Failure::without_memory(Code code) noexcept {
  constexpr std::size_t kNumCodes = static_cast<std::size_t>(Code::kCancelled) + 1;
  alignas(Failure) static std::byte room[kNumCodes * sizeof(Failure)];
  static Failure* const failures = [] {
    for (std::size_t c = 0; c < kNumCodes; ++c) {
      new (room + c * sizeof(Failure)) Failure(static_cast<Code>(c), "out of memory");
    }
    return std::launder(reinterpret_cast<Failure*>(room));
  }();
  Failure& failure = failures[static_cast<std::size_t>(code)];
  ++failure.num_statuses;
  return &failure;
}

Status::Status(Code code, std::string message) noexcept {
  if (code == Code::kOk) return;
  try {
    failure_ = new Failure(code, std::move(message));
  } catch (const std::bad_alloc&) {
    failure_ = Failure::without_memory(code);
  }
}

void Status::share() noexcept { failure_->num_statuses.fetch_add(1, std::memory_order_relaxed); }

void Status::release() noexcept {
  if (failure_->num_statuses.fetch_sub(1, std::memory_order_acq_rel) == 1) delete failure_;
}

Code Status::code_of_failure() const { return failure_->code; }

const std::string& Status::message() const {
  if (!ok()) return failure_->text;
  alignas(std::string) static std::byte room[sizeof(std::string)];
  static const auto* const empty = new (room) std::string;  // never destroyed
  return *empty;
}

Status Status::in_context(const std::string& context) const noexcept {
  return error(failure_->code, "{}: {}", context, failure_->text);
}

void Status::throw_error() const { throw Error(failure_->code, failure_->text); }

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
