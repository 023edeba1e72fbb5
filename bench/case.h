// Case: one way to store a workload's steps and to read them back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workload.h"

namespace bench {

/// One repetition: [begin_write, write_step ..., end_write], after_write, [begin_read, read_step ...,
/// end_read], remove. The calls in brackets are timed. Computing samples before a step and checking them
/// after it is not timed. All ranks make all calls. Errors are thrown.
class Case {
 public:
  virtual ~Case() = default;
  [[nodiscard]] virtual std::string name() const = 0;

  virtual void begin_write() {}
  virtual void write_step(const Workload& workload, Index step) = 0;
  virtual void end_write() {}

  /// Whether read_step() can read levels with fewer than all samples.
  [[nodiscard]] virtual bool reads_levels() const { return false; }
  virtual void begin_read() {}
  /// Reads this rank's part of a step into `samples`. `samples` have the sizes of the fields of the written
  /// workload or, with reads_levels(), of one of its levels.
  virtual void read_step(const Workload& workload, Index step, Samples& samples) = 0;
  virtual void end_read() {}
  /// The memory layout in which read_step() returns a field whose samples begin at `first`.
  [[nodiscard]] virtual Answer answer(const FieldMemory& field, const double* first) const {
    return like_memory(field, first);
  }

  /// The largest difference that a value which is read may have to the one that was written.
  [[nodiscard]] virtual double tolerance() const { return 0; }
  /// What the steps keep; empty: all samples. Samples that are not stored are read as NaN.
  [[nodiscard]] virtual std::vector<KeptAbove> kept() const { return {}; }
  /// Bytes of the files that this rank accounts for; the sum over the ranks is the stored size.
  [[nodiscard]] virtual Index stored_bytes() const { return 0; }
  /// On rank 0: JSON text with details of the last write; empty if there are none.
  [[nodiscard]] virtual std::string details() const { return {}; }
  /// Not timed, between writing and reading.
  virtual void after_write() {}
  /// Removes the written files. All ranks have finished reading.
  virtual void remove() {}
};

/// Each rank writes one file per step directly from its memory: the reference for all other cases. To read a
/// level, it reads the rows that hold samples of the level.
std::unique_ptr<Case> posix_case(const std::string& directory, int rank);
/// Each rank writes its contiguous part of one file per step, from `offset` on: the limit of one-file
/// formats.
std::unique_ptr<Case> posix_shared_case(const std::string& directory, Index offset_bytes);
/// Largest transfer of ior_case() and ior_shared_case(), as `ior -t 1m`.
inline constexpr Index kIorTransferBytes = Index{1} << 20;
/// posix_case() in transfers of at most kIorTransferBytes, as IOR with one file per process. The last
/// transfer of a field may be shorter.
std::unique_ptr<Case> ior_case(const std::string& directory, int rank);
/// posix_shared_case() in such transfers, as IOR with a shared file and one segment.
std::unique_ptr<Case> ior_shared_case(const std::string& directory, Index offset_bytes);
/// How packed_case() cuts the bytes of a step.
struct PackedLayout {
  Index files = 0;        ///< of equal sizes; 0: one per rank
  Index write_bytes = 0;  ///< of one write; 0: all that a rank writes to a file
};
/// Each rank writes an equal part of the step's bytes from a buffer that holds them already: storage alone.
/// The values are not those of the workload, so that read_step() throws.
std::unique_ptr<Case> packed_case(const std::string& name, const std::string& directory, int rank,
                                  int n_ranks, const PackedLayout& layout, const Workload& workload);
/// Each rank copies its samples within memory, and back.
std::unique_ptr<Case> memcpy_case();

}  // namespace bench
