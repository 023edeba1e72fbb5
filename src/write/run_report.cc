#include "write/run_report.h"

#include <string>
#include <utility>
#include <vector>

#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "device/device_memory.h"
#include "store/commit.h"
#include "write/choose_pattern.h"

namespace esker {
namespace {

/// How rank 0's files are written. Collective.
Result<StorageReport> storage_report(Comm& comm, const DatasetFiles& files, const FilePattern& pattern) {
  std::string packed;
  ESKER_RETURN_IF_ERROR(root_does(comm, "report", [&] {
    std::vector<std::string> texts;
    for (const auto& [name, value] : files.store->effective_hints()) {
      texts.insert(texts.end(), {name, value});
    }
    packed = pack_texts(texts);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(packed, share_text(comm, std::move(packed), 0));
  StorageReport report;
  ESKER_RETURN_IF_ERROR(all_do(comm, "report", [&] {
    report = describe(pattern);
    report.note = files.format->storage_note();
    const std::vector<std::string> texts = unpack_texts(packed);
    for (std::size_t t = 0; t + 1 < texts.size(); t += 2) report.hints[texts[t]] = texts[t + 1];
    return Status();
  }));
  return report;
}

/// Without details. Collective; if it throws, it does so after all communication.
RunReport begin_report(Comm& comm, const RunRecord& record, const Options& options) {
  RunReport report;
  report.ranks = comm.size();
  report.counters = gather_counters(comm, record.counters(), record.critical());
  report.steps = record.steps();
  report.configuration = options.entries();
  return report;
}

/// Collective.
Status add_device_warning(Comm& comm, const ExchangeBuffers& buffers, std::vector<std::string>& warnings) {
  Status reason;
  ESKER_RETURN_IF_ERROR(all_do(comm, "report", [&] {
    const device::DeviceMemory* const device = buffers.device();
    if (device != nullptr && device->copied_without_kernel_bytes() > 0)
      reason = Status(Code::kUnsupported, device->why_without_kernel());
    return Status();
  }));
  const Status found = agree(comm, reason);  // that of the first rank that has one, with its number
  return all_do(comm, "report", [&] {
    if (!found.ok()) {
      warnings.push_back("samples were copied from a GPU by rows, which is slow (device_row_bytes): " +
                         found.message());
    }
    return Status();
  });
}

/// How samples were moved and stored, and what was tuned. Collective.
Status add_details(Comm& comm, const RunRecord& record, const OpenDataset& dataset, StepPlans& plans,
                   RunReport& report) {
  ESKER_RETURN_IF_ERROR(all_do(comm, "report", [&] {
    report.transport = plans.maker().planner().transport_report();
    report.warnings = record.infinity_warnings(dataset.schema());
    const Options& options = plans.options();
    if (options.async && !can_store_in_thread(options)) {
      report.warnings.emplace_back(
          "async has no effect with storage=mpiio: MPI calls stay on the program's thread");
    }
    return Status();
  }));
  ESKER_RETURN_IF_ERROR(add_device_warning(comm, plans.buffers(), report.warnings));
  ESKER_ASSIGN_OR_RETURN(report.storage, storage_report(comm, dataset.files(), plans.maker().pattern()));
  if (plans.tuner()) {
    ESKER_ASSIGN_OR_RETURN(report.tuning, plans.tuner()->record(comm));
  }
  if (record.timeline()) {
    ESKER_ASSIGN_OR_RETURN(report.timeline, record.timeline()->gather(comm));
  }
  return {};
}

}  // namespace

Result<RunReport> make_report(Comm& comm, const RunRecord& record, const OpenDataset& dataset,
                              StepPlans& plans) {
  RunReport report = begin_report(comm, record, plans.options());
  ESKER_RETURN_IF_ERROR(add_details(comm, record, dataset, plans, report));
  return report;
}

Status write_report(Comm& comm, const RunRecord& record, const OpenDataset& dataset, StepPlans& plans) {
  const Options& options = plans.options();
  if (options.report == "none" || record.steps().empty()) return {};
  RunReport report;
  ESKER_RETURN_IF_ERROR(all_do(comm, "report", [&] {
    report = begin_report(comm, record, options);
    return Status();
  }));
  ESKER_RETURN_IF_ERROR(add_details(comm, record, dataset, plans, report));
  return root_does(comm, "report", [&] {
    const std::string path = options.report.empty() ? default_report(dataset.files()) : options.report;
    return replace_file(*dataset.files().store, path, report_to_json(report), false);
  });
}

}  // namespace esker
