#include "write/open_target.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "exchange/shared_options.h"
#include "formats/registry/make_writer.h"
#include "write/append_target.h"
#include "write/choose_pattern.h"

namespace esker {
namespace {

/// Sets the option `format` to the format of the dataset, for the report.
Status settle_format(const std::string& path, Options& options) {
  ESKER_ASSIGN_OR_RETURN(const std::string format, choose_format(path, options));
  return format == options.format ? Status() : options.set("format", format, "suffix of the path");
}

/// Collective.
int count_nodes(Comm& comm) {
  std::array<double, 1> leaders{comm.node().rank() == 0 ? 1.0 : 0.0};
  comm.all_reduce_sum(leaders);
  return static_cast<int>(leaders[0]);
}

}  // namespace

Result<WriteTarget> open_target(Comm& comm, const std::shared_ptr<Store>& store, const char* operation,
                                const std::string& path, const Result<Options>& options,
                                const std::shared_ptr<WriterLock>& lock) {
  const Status local = store ? Status() : out_of_memory(operation);
  WriteTarget target;
  ESKER_ASSIGN_OR_RETURN(target.options, open_together(comm, operation, path, options, local));
  Options& shared = target.options;
  std::string dataset_path;
  ESKER_RETURN_IF_ERROR(all_do(comm, operation, [&] {
    dataset_path = path;
    return Status();
  }));
  if (std::string_view(operation) == "append") {
    ESKER_RETURN_IF_ERROR(share_append_target(comm, *store, dataset_path, shared.format));
  }
  ESKER_RETURN_IF_ERROR(all_do(comm, operation, [&] { return settle_format(dataset_path, shared); }));
  const int n_nodes = shared.partitions.number > 0 ? count_nodes(comm) : 0;
  ESKER_RETURN_IF_ERROR(
      all_do(comm, operation, [&] { return settle_partitions(comm.size(), n_nodes, shared); }));
  ESKER_ASSIGN_OR_RETURN(target.pattern, choose_pattern(comm, *store, dataset_path, shared));
  ESKER_RETURN_IF_ERROR(all_do(comm, operation, [&]() -> Status {
    target.store = store;
    if (shared.storage == Storage::kMpiIo) {
      ESKER_ASSIGN_OR_RETURN(target.store, comm.store_by_mpi_io(store, shared.hints));
    }
    ESKER_ASSIGN_OR_RETURN(target.format, make_format_writer(target.store, dataset_path, shared, lock));
    if (shared.call_timeout > 0)
      target.roll_call = std::make_shared<RollCall>(comm.size(), shared.call_timeout);
    if (shared.report_timeline) target.timeline = std::make_unique<Timeline>(comm.rank(), comm.size());
    return {};
  }));
  ESKER_ASSIGN_OR_RETURN(target.tuner, StepTuner::make(comm, store, shared));
  return target;
}

}  // namespace esker
