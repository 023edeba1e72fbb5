// Runs with tune=auto and tune=replay, and the sequences of settings that they are given.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "format/json_writer.h"
#include "support/runs.h"
#include "tune/parameter_space.h"
#include "tune/tuning_json.h"

namespace esker::testing_support {

inline TuningFacts facts_with(int n_ranks) {
  TuningFacts facts;
  facts.ranks = n_ranks;
  facts.aggregators = n_ranks;
  facts.buffer_bytes = Index{256} << 10;
  return facts;
}

/// Every value of every option that may change between steps, one per step, beginning with the second.
inline TuningRecord every_setting(const TuningFacts& facts) {
  TuningRecord record;
  for (const Axis& axis : axes_of(facts, Options())) {
    for (std::size_t v = 0; v < axis.values.size(); ++v) {
      if (v == axis.start) continue;
      const Index step = 1 + static_cast<Index>(record.changes.size());
      record.changes.push_back({step, {{axis.option, axis.values[v]}}});
    }
  }
  return record;
}

/// A report with this record.
inline std::string report_with(const TuningRecord& record) {
  JsonWriter json;
  json.object([&] { write_tuning(json.key("tuning"), record); });
  return json.take();
}

/// The names in a directory; none if it does not exist.
inline std::vector<std::string> names_in(Store& store, const std::string& directory) {
  auto names = store.list(directory);
  return names.ok() ? std::move(*names) : std::vector<std::string>();
}

inline void store_text(Store& store, const std::string& path, const std::string& text) {
  auto file = store.open(path, OpenMode::kWrite).value();
  file->write_at(std::as_bytes(std::span(text)), 0).check();
  file->close().check();
}

}  // namespace esker::testing_support
