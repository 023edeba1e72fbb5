// Mode: one way to write snapshots. A new mode is a class and a line in modes.cc.
#pragma once

#include <string>

#include "common/stopwatch.h"
#include "snapshot.h"

namespace uintah {

/// What a mode did to files, the sums over ranks.
struct Writes {
  Index count = 0;  ///< write calls for samples
  Index bytes = 0;  ///< in them
};

class Mode {
 public:
  Mode() = default;
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;
  virtual ~Mode() = default;

  /// All functions are collective and throw AgreedError.
  virtual void write(const Snapshot& snapshot) = 0;
  /// After the last snapshot.
  virtual void close() = 0;
  /// After close().
  [[nodiscard]] virtual Writes writes() = 0;
  /// After close(): reads back what was written of a snapshot, and compares all values with it.
  virtual void check(const Snapshot& snapshot) = 0;
  /// Whether cells that finer patches cover are written, too.
  [[nodiscard]] virtual bool writes_covered_cells() const = 0;
  /// Files and directories that hold the output, those that exist.
  [[nodiscard]] virtual std::vector<std::string> paths() const = 0;
};

}  // namespace uintah
