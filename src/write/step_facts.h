// What the report of a step says about the fields that it stored in part, and about its messages.
#pragma once

#include "comm/comm.h"
#include "esker/types/schema.hpp"
#include "esker/types/step_report.hpp"
#include "format/format_writer.h"
#include "write/step_plan.h"

namespace esker {

/// The sum of a number over all ranks. Collective.
Index sum_of_ranks(Comm& comm, Index number);

/// Messages of a step in `num_partitions`; 0: none, or stored separately. Collective if it is divided.
void report_partitions(Comm& comm, const StepPlan& plan, Index num_partitions, StepReport& step);

/// What a sparse step stores. Collective if the step is sparse. The step is committed: without the memory for
/// the names of its fields, the report has less.
void report_kept(Comm& comm, const FormatWriter& format, const Schema& schema, const StepPlan& plan,
                 StepReport& step);

}  // namespace esker
