// The report of a run: time of each phase on the ranks, data volumes, memory.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/spans.h"
#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "esker/types/step_report.hpp"
#include "tune/tuning_record.h"
#include "write/rank_counters.h"

namespace esker {

/// How samples were moved between ranks.
struct TransportReport {
  std::string used;    ///< a name of the option `transport`; "none": not moved
  std::string reason;  ///< why a preferred transport was not used
};

/// How files were written.
struct StorageReport {
  std::string pattern;          ///< a name of the option `pattern`, not "auto"
  Index stripe_size_bytes = 0;  ///< 0: unknown
  int stripe_count = 0;
  std::map<std::string, std::string> hints;  ///< MPI-IO hints that are in effect
  std::string note = {};                     ///< FormatWriter::storage_note
};

/// What ranks did when, as they recorded it (write/timeline.h).
struct TimelineReport {
  struct Rank {
    int rank = 0;
    std::vector<Spans::Span> work, store;
  };
  std::vector<std::string> kinds;  ///< [Span::kind]
  std::vector<Rank> ranks;
};

struct RunReport {
  int ranks = 0;
  TransportReport transport;
  StorageReport storage;
  GatheredCounters counters;
  std::vector<StepReport> steps;  ///< committed
  std::vector<std::string> warnings = {};
  std::vector<Options::Entry> configuration;
  std::optional<TuningRecord> tuning = {};      ///< nothing: not tuned
  std::optional<TimelineReport> timeline = {};  ///< nothing: not recorded
};

std::string report_to_text(const RunReport& report);
std::string report_to_json(const RunReport& report);

}  // namespace esker
