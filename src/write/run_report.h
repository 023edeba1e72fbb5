// The report of a run, from what its parts know.
#pragma once

#include "comm/comm.h"
#include "write/open_dataset.h"
#include "write/report.h"
#include "write/run_record.h"
#include "write/step_plans.h"

namespace esker {

/// The report so far. Collective; the same on all ranks.
Result<RunReport> make_report(Comm& comm, const RunRecord& record, const OpenDataset& dataset,
                              StepPlans& plans);

/// Writes it to where the options say; nothing without steps. Collective.
Status write_report(Comm& comm, const RunRecord& record, const OpenDataset& dataset, StepPlans& plans);

}  // namespace esker
