// Status and Result: how every Esker call says whether it worked, and why not.
//
//   esker::Status s = writer.end_step();
//   if (!s.ok()) std::cerr << s.message() << '\n';
//   esker::Dataset ds = esker::Dataset::open("run.idx").value();   // throws esker::Error on failure
//
// Both types are [[nodiscard]]: an error is handled, passed up, or turned into an exception by
// value()/check(), never dropped.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "esker/export.h"

namespace esker {

/// What kind of thing went wrong; the message says the rest (operation, field, file, rank,
/// expected, found, what to do).
enum class Code : int {
  kOk = 0,
  kInvalidArgument,  ///< a value that can never be right: a name, a size, a type, an option
  kOutOfRange,       ///< an index, box, level or step that the grid or dataset does not have
  kNotFound,         ///< no such file, field, grid, step
  kAlreadyExists,    ///< would overwrite something that the caller did not say may go
  kWrongOrder,       ///< a call that is not allowed now (put outside a step, define after the first step)
  kMismatchedCall,   ///< ranks called different collective operations, or with different arguments
  kDataLoss,         ///< a file is damaged, truncated or not what its header says
  kIoError,          ///< the system refused: the message carries path and the system's reason
  kUnsupported,      ///< legal, but not implemented
  kOutOfMemory,      ///< an allocation failed or the memory budget is too small
  kInternal,         ///< a broken invariant of Esker itself
  kCancelled,        ///< the caller's function said so
};

/// The code's name as printed in messages and JSON, e.g. "out_of_range".
ESKER_API const char* code_name(Code code);

/// Thrown by value() and check() only; Esker itself never lets an exception out of a call.
class ESKER_API Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] Code code() const { return code_; }  ///< what() has the text

 private:
  Code code_;
};

/// Success, or a code and a text. Cheap to move; success holds no allocation.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  /// Success, and what else.
  [[nodiscard]] bool ok() const { return code_ == Code::kOk; }
  [[nodiscard]] Code code() const { return code_; }
  /// Empty on success.
  [[nodiscard]] const std::string& message() const { return message_; }

  /// The same error with `context` and ": " put before its text; success stays success.
  [[nodiscard]] Status with_context(const std::string& context) const {
    return ok() ? *this : Status(code_, context + ": " + message_);
  }

  /// Throws esker::Error unless ok.
  void check() const {
    if (!ok()) throw Error(code_, message_);
  }

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

/// A value, or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    if (status_.ok()) status_ = Status(Code::kInternal, "Result made from a successful Status");
  }

  /// Whether there is a value, and why not.
  [[nodiscard]] bool ok() const { return value_.has_value(); }
  [[nodiscard]] const Status& status() const { return status_; }

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
