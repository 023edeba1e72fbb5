// What every rank needs before a run can write: the dataset that is meant, how it is stored, and the options
// of rank 0, with what Esker has settled.
#pragma once

#include <memory>
#include <string>

#include "comm/comm.h"
#include "comm/roll_call.h"
#include "esker/types/options.hpp"
#include "format/format_writer.h"
#include "plan/file_pattern.h"
#include "store/lock.h"
#include "store/store.h"
#include "tune/parallel/step_tuner.h"
#include "write/timeline.h"

namespace esker {

struct WriteTarget {
  std::shared_ptr<Store> store;
  std::unique_ptr<FormatWriter> format;
  Options options;
  FilePattern pattern;
  std::unique_ptr<StepTuner> tuner;     ///< null: not tuned
  std::unique_ptr<Timeline> timeline;   ///< null: not recorded
  std::shared_ptr<RollCall> roll_call;  ///< to be set when all ranks have a writer; null: none
};

/// Opens `path` for "create" or "append", the operation. For append, the dataset is found from any of its
/// paths, and has the format of its files unless the options name one. `lock`, on rank 0: see
/// make_format_writer(). Collective; errors are those of all ranks. Changes no file.
Result<WriteTarget> open_target(Comm& comm, const std::shared_ptr<Store>& store, const char* operation,
                                const std::string& path, const Result<Options>& options,
                                const std::shared_ptr<WriterLock>& lock = nullptr);

}  // namespace esker
