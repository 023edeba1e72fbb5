// Status and Result: every Esker call returns one of them, to report success or an error.
//
//   esker::Status s = writer.end_step();
//   if (!s.ok()) std::cerr << s.message() << '\n';
//   esker::Dataset ds = esker::Dataset::open("run.idx").value();   // throws esker::Error on failure
// Both types are [[nodiscard]]: handle an error, return it, or turn it into an exception with value() or
// check().
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "esker/types/export.h"

namespace esker {

/// The kind of error. The message has the details (operation, field, file, rank, expected, found, what to
/// do).
enum class Code : int {
  kOk = 0,
  kInvalidArgument,  ///< an invalid value: a name, a size, a type, an option
  kOutOfRange,       ///< an index, box, level or step outside the grid or dataset
  kNotFound,         ///< no such file, field, grid, step
  kAlreadyExists,    ///< would overwrite something without the caller's permission; or a writer's lock
  kWrongOrder,       ///< a call that is not allowed now (put outside a step, define after the first step)
  kMismatchedCall,   ///< ranks called different collective operations, or with different arguments
  kDataLoss,         ///< a file is damaged, truncated or inconsistent with its header
  kIoError,          ///< a system call failed; the message has the path and the system's reason
  kUnsupported,      ///< valid, but not implemented
  kOutOfMemory,      ///< an allocation failed or the memory budget is too small
  kInternal,         ///< a bug in Esker, or an exception from the caller's functions
  kCancelled,        ///< stopped by the caller's progress function
};

/// The code's name in messages and JSON, for example "out_of_range".
ESKER_API const char* code_name(Code code);

/// Thrown only by value() and check(). No other Esker call throws.
class ESKER_API Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] Code code() const { return code_; }  ///< what() has the text

 private:
  Code code_;
};

/// Success, or a code and a text. As large as a pointer; copies share the text, so that to copy a Status
/// allocates nothing.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  /// Does not throw: if there is no memory for the text, message() says that.
  ESKER_API Status(Code code, std::string message) noexcept;
  Status(const Status& other) noexcept : failure_(other.failure_) {
    if (!ok()) share();
  }
  /// Leaves success.
  Status(Status&& other) noexcept : failure_(std::exchange(other.failure_, nullptr)) {}
  Status& operator=(Status other) noexcept {
    std::swap(failure_, other.failure_);
    return *this;
  }
  ~Status() {
    if (!ok()) release();
  }

  /// Whether the call succeeded, and the code if not.
  [[nodiscard]] bool ok() const { return failure_ == nullptr; }
  [[nodiscard]] Code code() const { return ok() ? Code::kOk : code_of_failure(); }
  /// Empty on success.
  [[nodiscard]] ESKER_API const std::string& message() const;

  /// The same error with `context` and ": " before its text. Success is returned unchanged.
  [[nodiscard]] Status with_context(const std::string& context) const {
    return ok() ? Status() : in_context(context);
  }

  /// Throws esker::Error unless ok().
  void check() const {
    if (!ok()) throw_error();
  }

 private:
  struct Failure;
  [[nodiscard]] ESKER_API Code code_of_failure() const;
  [[nodiscard]] ESKER_API Status in_context(const std::string& context) const noexcept;
  [[noreturn]] ESKER_API void throw_error() const;
  ESKER_API void share() noexcept;
  ESKER_API void release() noexcept;

  Failure* failure_ = nullptr;  // null: success
};

/// A value, or the Status of the failure.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    if (status_.ok()) status_ = Status(Code::kInternal, "Result made from a successful Status");
  }

  /// Whether there is a value, and the error if not.
  [[nodiscard]] bool ok() const { return value_.has_value(); }
  [[nodiscard]] const Status& status() const& { return status_; }
  [[nodiscard]] Status status() && { return status_; }  // not moved: value() throws afterwards, too

  /// The value; throws esker::Error when there is none.
  T& value() & { return status_.check(), *value_; }
  const T& value() const& { return status_.check(), *value_; }
  T&& value() && { return status_.check(), std::move(*value_); }

  /// The value, unchecked: only after ok().
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace esker
