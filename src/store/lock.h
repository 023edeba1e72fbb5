// WriterLock: lets at most one job write a dataset at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/store.h"

namespace esker {

/// What follows the path of a dataset, without extension, in that of its lock.
inline constexpr const char* kLockSuffix = ".esker-lock";

/// A file that names its holder (host, process, job, start of the process, boot of the machine, PID
/// namespace). acquire() takes the lock; release() or the destructor, which reports no errors, releases it. A
/// process that dies without releasing it leaves the file; another process of the same host, boot and PID
/// namespace takes the lock over. Processes elsewhere cannot tell whether the holder lives, so the lock
/// stays; the error names the holder and the file to remove. Decision 18.
class WriterLock {
 public:
  /// Not held initially.
  WriterLock(std::shared_ptr<Store> store, std::string path)
      : store_(std::move(store)), path_(std::move(path)) {}
  /// For a dataset that the holder of `lender` writes, too: counts as held as long as the lender holds it,
  /// and is not released. The lender must have been acquired; it may end before.
  static std::shared_ptr<WriterLock> borrow(const WriterLock& lender);
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock();
  /// Also succeeds if the lock is already held. Removes what acquire() calls of dead processes left next to
  /// the file. Errors: kAlreadyExists if it is held by another process that lives, or may live.
  Status acquire();
  /// acquire(), and if `dataset`, a file or a directory, is a symbolic link, also the lock of the dataset
  /// that it leads to: two writers exclude each other whichever links they use. Takes all locks or none. If
  /// there is no dataset, or no file can be created next to it, only the first lock is taken.
  Status acquire_for(const std::string& dataset);
  /// Removes the files that this object still holds; also succeeds if the lock is not held.
  Status release();
  /// kDataLoss if another program has removed or replaced a file. kWrongOrder: the lock was never taken.
  [[nodiscard]] Status check_held() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Status acquire_of_target(const std::string& dataset);

  std::shared_ptr<Store> store_;
  std::string path_, text_;
  bool held_ = false;
  bool is_borrowed_ = false;
  std::vector<std::shared_ptr<WriterLock>> targets_;  // of the datasets that links lead to
};

}  // namespace esker
