// CommitRecord: the value of the (esker) key of an .idx, which other readers ignore.
//
// One line of JSON: {"format":2,"generation":3,"times":[0.0,50.0],"absent":{"1":["temp"]},
// "split":{"species":["species.0-7","species.8"]},"errors":{"temp":[0.0009,0.00101]},"alignment":4096,
// "checksums":true,"sum":"..."}. Replacing
// the .idx by one rename commits a step of its grid; the record takes effect with that rename. Reals that
// JSON lacks are the strings "NaN", "Infinity" and "-Infinity".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"

namespace esker::idx {

/// The key of the .idx that holds the record.
inline constexpr std::string_view kRecordKey = "(esker)";

/// An .idx with more steps than this is considered damaged.
inline constexpr Index kMaxSteps = 10'000'000;

struct CommitRecord {
  /// Of records with `corner`; 4: without, with `sets`; 3: without these; 2: without `errors`; 1: without
  /// `sum`.
  static constexpr int kFormat = 5;
  Index generation = 0;       ///< number of steps + 1: commits that make this content in one run
  std::vector<double> times;  ///< time value of step 0, 1, 2 ...
  std::map<Index, std::vector<std::string>> absent;       ///< step -> fields not written at that step
  std::map<std::string, std::vector<std::string>> split;  ///< field -> the .idx fields that store it
  // How the block files were created, for appending to them.
  Index alignment_bytes = 4096;
  bool checksums = false;
  std::optional<std::uint64_t> sum = {};  ///< record_sum(); absent in records of format 1
  /// Field compressed with loss -> its largest absolute error at each step; 0 where it is absent.
  std::map<std::string, std::vector<double>> errors = {};
  /// Sparse step -> block_sets_sum() of its file of block sets. A part of fixed fields: step 0.
  std::map<Index, std::uint64_t> sets = {};
  /// Of an .idx with bricks: `esker merge` has brought the first so many steps into the global order.
  Index merged = 0;
  /// Of an .idx that holds a box of a grid, in partitions that are stored separately: where in the grid the
  /// box begins, one number per axis.
  std::vector<Index> corner = {};

  friend bool operator==(const CommitRecord&, const CommitRecord&) = default;
};

/// The fields of `split` by the names of their columns.
std::map<std::string, std::string> fields_of_columns(const CommitRecord& record);

/// One line; reals have all their digits: parse_commit_record(print_commit_record(r)) == r.
std::string print_commit_record(const CommitRecord& record);

/// Does not check `sum`, see record_sum.h. Errors: kDataLoss (not JSON, wrong types, steps out of range),
/// kUnsupported (a newer format).
Result<CommitRecord> parse_commit_record(const std::string& json);

}  // namespace esker::idx
