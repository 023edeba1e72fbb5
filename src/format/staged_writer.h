// StagedWriter: a FormatWriter that can create its dataset in two steps, so that it can be the first of two
// writers of one dataset (formats/registry/dual_writer.h).
#pragma once

#include <string>

#include "base/macros.h"
#include "format/format_writer.h"

namespace esker {

class StagedWriter : public FormatWriter {
 public:
  Status create(bool durable) final {
    ESKER_RETURN_IF_ERROR(stage(durable));
    return publish(durable);
  }
  /// Rank 0, after define: writes the dataset without steps under a temporary name, and removes it on
  /// failure. The dataset that is replaced remains until publish(). Can be called again after a failure.
  virtual Status stage(bool durable) = 0;
  /// Rank 0: renames what stage() wrote to its final name, replacing an existing dataset.
  virtual Status publish(bool durable) = 0;
  /// Rank 0: the result of read_existing() for what stage() wrote; "" if it is missing or not complete.
  virtual Result<std::string> read_staged() = 0;
};

}  // namespace esker
