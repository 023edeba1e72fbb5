// The series: the file that names the steps of a VTKHDF dataset, `run.vtkhdf.series`.
//
//   {"file-series-version": "1.0",
//    "files": [{"name": "run.vtkhdf.steps/000000.vtkhdf", "time": 0.5, "sum": "..."}, ...],
//    "esker": {"format": 1, "schema": {...}, "sum": "..."}}
//
// The sum of a step is that of its patches and their checksums (run_sums.h); the last one is that of this
// text, with zeros in its place. Files of older versions have neither. ParaView opens it as one dataset; it
// ignores what it does not know. Replacing the file commits a step.
// Source: ParaView's file series, version 1.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"

namespace esker::vtkhdf {

inline constexpr const char* kSeriesSuffix = ".vtkhdf.series";
/// With which each series that Esker writes begins.
inline constexpr const char* kSeriesMagic = "{\"file-s";

struct Series {
  static constexpr int kFormat = 1;
  Schema schema;
  std::vector<double> times;                       ///< of the committed steps
  std::vector<std::optional<std::uint64_t>> sums;  ///< likewise; none: the step has no checksums
};

/// The paths of a dataset with this stem.
std::string series_path(const std::string& stem);
std::string steps_directory(const std::string& stem);
std::string step_path(const std::string& stem, Index step);
/// The step of a file with this name in the directory of the steps; -1 if it is not one.
Index step_of(const std::string& name);

/// `stem`: of the dataset, which is in the directory of the series.
std::string print_series(const Series& series, const std::string& stem);
/// kDataLoss: not JSON, not written by Esker, or damaged. kUnsupported: a newer format.
Result<Series> parse_series(const std::string& text, const std::string& stem);

}  // namespace esker::vtkhdf
