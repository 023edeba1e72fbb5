// Runner: times cases against each other on one workload, interleaved, and checks every value that they read.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "case.h"

namespace bench {

/// The times of reading a level, see Workload::at_level.
struct MeasuredLevel {
  Index halvings = 0;
  Index data_bytes = 0;        ///< per step, all ranks
  std::vector<double> read_s;  ///< as in Measured
};

/// The results of one case; the same on all ranks except for `details`.
struct Measured {
  std::string name;
  std::vector<double> write_s, read_s;  ///< per repetition: all steps, the slowest rank
  /// Per repetition, with Schedule::compute_s: of write_s, in the steps after the first one; in computing;
  /// and in both writing and computing.
  std::vector<double> in_steps_s, computing_s, total_s;
  Index stored_bytes = 0;             ///< per step
  Index extra_bytes = 0;              ///< largest growth of a rank's memory while writing
  Index bad_values = 0;               ///< in all repetitions
  std::vector<MeasuredLevel> levels;  ///< of the schedule, if the case reads levels
  std::vector<KeptAbove> kept;        ///< see Case
  std::vector<std::string> details;   ///< per repetition, on rank 0
};

struct Schedule {
  Index steps = 5;
  Index repeats = 15;
  std::vector<Index> halvings = {};  ///< levels to read in addition to all samples
  bool reads = true;                 ///< false: nothing is read, and no value is checked
  double compute_s = 0;              ///< a model computes so long before each step
};

/// Runs all cases once without timing, to touch the storage's memory and to measure the memory of the cases.
/// Then runs them `repeats` times, each time starting with another case. Collective.
std::vector<Measured> run(MPI_Comm comm, const std::vector<std::unique_ptr<Case>>& cases, Workload& workload,
                          const Schedule& schedule);

}  // namespace bench
