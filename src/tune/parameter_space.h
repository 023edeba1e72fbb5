// The parameter space: the options that change how fast a run writes, or reads, with the values worth trying.
//
// Options that change the bytes of the files are listed, too, but only axes_of() is searched, and it has none
// of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "esker/types/options.hpp"
#include "esker/types/tunable_option.hpp"

namespace esker {

/// What bounds the values: the run, and what is in effect where the options leave the choice to Esker.
struct TuningFacts {
  int ranks = 1;
  int fields = 0;                ///< that the step stores
  Index step_bytes = 0;          ///< of their samples
  int aggregators = 1;           ///< in effect; 0: none, each rank reads by itself
  Index buffer_bytes = 0;        ///< of a collective buffer in effect; 0: unknown
  int bits_per_block = 0;        ///< in effect; 0: the format has no blocks
  Index blocks_per_file = 0;     ///< in effect, likewise
  bool has_chunks = false;       ///< the format stores chunks
  bool may_compress = false;     ///< the format can store pieces compressed
  bool shares_a_file = false;    ///< several aggregators write one file
  bool compresses = false;       ///< pieces are stored compressed
  bool may_write_alone = false;  ///< the format allows aggregate=false
  bool knows_stripes = false;    ///< the file system or an option gives the stripe size
  bool reads = false;            ///< ranks read together; else they write
};

/// All options that change the speed, in the order in which they are tried. Local, pure.
std::vector<TunableOption> tunable_options(const TuningFacts& facts, const Options& options);

/// Whether the option changes nothing but the plan.
bool may_change_between_steps(std::string_view option);

/// The part of a step that an option can make faster.
enum class Phase { kMove, kStore, kBoth };

/// One option and the values to try.
struct Axis {
  std::string option;
  std::vector<std::string> values;
  std::size_t start = 0;  ///< the value as configured
  int stride = 0;         ///< of ordered values, to those that are tried next; 0: not ordered, all are tried
  Phase phase = Phase::kBoth;
};

/// A value of each axis.
using Position = std::vector<std::size_t>;

/// The options that may change between steps, that the user did not set, and that have several values here.
/// Local, pure.
std::vector<Axis> axes_of(const TuningFacts& facts, const Options& options);

}  // namespace esker
