// TransferLoad: reads the collective buffers of a transfer from the file: of each piece, what ranks want.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "store/store.h"
#include "transfer/file_array.h"
#include "transfer/transfer_plan.h"

namespace esker {

class TransferLoad {
 public:
  /// For one transfer from `file`, where `arrays` are. References must outlive it.
  TransferLoad(const TransferPlan& plan, const std::vector<FileArray>& arrays, const File& file)
      : plan_(plan), arrays_(arrays), file_(file) {}

  /// Reads the samples, and makes them native. Samples after the end of the file are zero. Allocates nothing.
  Status operator()(const Round& round, std::span<std::byte> bytes) const;

 private:
  const TransferPlan& plan_;
  const std::vector<FileArray>& arrays_;
  const File& file_;
};

}  // namespace esker
