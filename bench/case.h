// Case: one way to store a workload's steps and to read them back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workload.h"

namespace bench {

/// One repetition: [begin_write, write_step ..., end_write], after_write, [begin_read, read_step ...,
/// end_read], remove. What stands in brackets is timed, but not the computing before and the checking behind
/// each step. All ranks make all calls. Errors are thrown.
class Case {
 public:
  virtual ~Case() = default;
  [[nodiscard]] virtual std::string name() const = 0;

  virtual void begin_write() {}
  virtual void write_step(const Workload& workload, Index step) = 0;
  virtual void end_write() {}

  /// Whether read_step() can be asked for less than all samples.
  [[nodiscard]] virtual bool reads_levels() const { return false; }
  virtual void begin_read() {}
  /// Reads this rank's part of a step into `samples`, which have the sizes of the fields': of the workload
  /// that was written, or with reads_levels() of one of its levels.
  virtual void read_step(const Workload& workload, Index step, Samples& samples) = 0;
  virtual void end_read() {}
  /// How read_step() leaves a field whose samples begin at `first`.
  [[nodiscard]] virtual Answer answer(const FieldMemory& field, const double* first) const {
    return like_memory(field, first);
  }

  /// Bytes of the files that this rank answers for; their sum over ranks is what is stored.
  [[nodiscard]] virtual Index stored_bytes() const { return 0; }
  /// JSON text of what the case knows of its last writing, on rank 0; empty if nothing.
  [[nodiscard]] virtual std::string details() const { return {}; }
  /// Not timed, between writing and reading.
  virtual void after_write() {}
  /// Removes what it wrote; the ranks have finished reading.
  virtual void remove() {}
};

/// Each rank its own file per step, from its memory as it is: the limit that others are measured against. Of
/// a level it reads the rows that hold samples of it.
std::unique_ptr<Case> posix_case(const std::string& directory, int rank);
/// Each rank its contiguous part, from `offset` on, of one file per step: the limit of formats with one file.
std::unique_ptr<Case> posix_shared_case(const std::string& directory, Index offset_bytes);
/// Each rank copies its memory to memory, and back.
std::unique_ptr<Case> memcpy_case();

}  // namespace bench
