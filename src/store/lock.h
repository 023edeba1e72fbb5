// WriterLock: at most one job writes a dataset at a time.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace esker {

/// A file that names its holder (host, process, job, start of the process, boot of the machine, PID
/// namespace). Taken by acquire(); released by release() or, without a report, by the destructor. A process
/// that died without either leaves the file; a process of the same host, boot and PID namespace takes it
/// over. From elsewhere nobody can see whether the holder lives, so the lock stays: the error says who holds
/// it and what to remove. Decision 18.
class WriterLock {
 public:
  /// Not held yet.
  WriterLock(std::shared_ptr<Store> store, std::string path)
      : store_(std::move(store)), path_(std::move(path)) {}
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock();
  /// Success also when it is held already. Removes what acquire() calls of dead processes left next to the
  /// file. Errors: kAlreadyExists when another process holds it that lives, or may live.
  Status acquire();
  /// Removes the file, if it is still this holder's; success also when the lock is not held.
  Status release();
  /// kDataLoss unless the file is still there and this holder's: somebody removed or replaced it.
  /// kWrongOrder: it was never taken.
  [[nodiscard]] Status check_held() const;

 private:
  std::shared_ptr<Store> store_;
  std::string path_, text_;
  bool held_ = false;
};

}  // namespace esker
