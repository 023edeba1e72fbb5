// Options: everything about writing that can be chosen without touching the model's code.
//
//   auto options = esker::Options::load().value();      // built-in < esker.toml < ESKER_* environment
//   options.set("aggregators", "2").check();            // < the program
//
// The order of setting does not matter and setting one never changes another. No option except those
// marked (format) changes a byte of the dataset.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "esker/box.hpp"
#include "esker/export.h"
#include "esker/in_block_order.hpp"
#include "esker/restructure.hpp"
#include "esker/status.hpp"

namespace esker {

/// When data must have reached the device: never (safe against the death of processes only), before end_step
/// returns, or before close returns.
enum class Fsync { kNone, kStep, kClose };

/// How samples get from rank to rank. Which one is the fastest depends on where the ranks are; the dataset
/// does not depend on it.
enum class Transport {
  kAuto,      ///< shared between ranks of a node, or leaders, if its memory can be had, else messages
  kMessages,  ///< one message per pair of ranks and round
  kShared,    ///< ranks of a node fill each other's windows in shared memory; between nodes, messages
  kLeaders,   ///< as kShared; between nodes, one message per pair of nodes and round
  kAllToAll,  ///< all messages of a round by one collective call (MPI_Alltoallv)
  kPut,       ///< one MPI_Put per pair of ranks and round; ranks of a pair keep in step
  kPutFence,  ///< the same; all ranks keep in step (fence)
  kPutTypes,  ///< as kPutFence, straight from the patches by derived datatypes: nothing is packed
  kGet,       ///< one MPI_Get per pair of ranks and round; ranks of a pair keep in step
};

/// Which ranks write, when not all do.
enum class AggregatorPlacement {
  kAuto,  ///< where all ranks share a node and memory: who holds the midst of what they write; else as kNodes
  kNodes,  ///< evenly over the nodes, however ranks are numbered; each writes a contiguous part of the files
  kRanks,  ///< the same, evenly over the numbers of ranks
};

/// Which rank that writes stores what of a file that all of them share, a CDF file. (The blocks of IDX and
/// the chunks of NetCDF-4 are stored by who is near them or, between nodes, in contiguous parts.)
enum class WritePattern {
  kAuto,        ///< stripes where the file system tells its stripes, or options do; else contiguous
  kContiguous,  ///< each a contiguous part of each variable
  kStripes,     ///< stripe i of the file is writer i's, modulo their number: each has to do with one target
  kSlabs,       ///< whole indices of a variable's slowest axis: levels
};

/// As the option `pattern` takes it.
ESKER_API std::string_view name(WritePattern pattern);

/// What moves bytes to files.
enum class Storage {
  kPosix,  ///< the calls of the operating system
  kMpiIo,  ///< MPI-IO, in a program with MPI; data are written by independent calls
};

/// Shapes of chunks in NetCDF-4 files. As text "auto", "decomposition", or extents "X,Y,...".
struct Chunks {
  bool by_decomposition = false;  ///< a chunk is what a rank holds: of each field, at the first step
  /// Samples per axis, x first, of all fields; none, and not by decomposition: chosen by grid and type.
  std::vector<Index> extents;
};

struct ESKER_API Options {
  /// (format) "idx", "cdf", "cdf1", "cdf2", "cdf5", "netcdf4", "cdf5+idx" ...; "auto": what the suffix of the
  /// dataset's name says: .nc is "cdf", .nc4, .h5 and .hdf5 are "netcdf4", all else is "idx".
  std::string format = "auto";
  bool overwrite = false;        ///< create may replace a dataset, all in its directory
  int bits_per_block = 0;        ///< (format) 0: chosen from grid and type
  Index blocks_per_file = 0;     ///< (format) 0: chosen from the step's size
  Index alignment_bytes = 4096;  ///< (format) data start and blocks begin at multiples
  Chunks chunks;                 ///< (format) of NetCDF-4 files
  Index chunk_alignment_bytes = 1;  ///< (format) NetCDF-4: chunks of a field begin at multiples
  InBlockOrder in_block = InBlockOrder::kRowMajor;  ///< (format) order of samples in a block
  bool split = true;      ///< (format) fields whose samples OpenVisus cannot copy become several
  bool checksums = true;  ///< (format) of each block and of each table of blocks
  bool aggregate = true;  ///< false: each rank writes its own runs of samples (one-phase; without checksums)
  /// How ranks read together: true, some load large stretches and deliver what each wants (two phases);
  /// false, each reads its own boxes. Nothing: as the ranks' nodes and boxes suggest.
  std::optional<bool> aggregate_reads;
  Transport transport = Transport::kAuto;  ///< how samples get from rank to rank
  /// Whether a thread stores a window while the next one is filled (not with MPI-IO). Nothing: on ranks that
  /// mostly waited for the storage in the step before.
  std::optional<bool> store_thread;
  Index window_bytes = 0;  ///< collected and written at a time by a rank; 0: chosen
  /// Ranks that write; 0: one per file and field, but no more than one per 4 MiB of a step, at most all.
  /// In one file that all share only the latter limits hold.
  int aggregators = 0;
  int aggregation_factor = 0;  ///< ranks for each one that writes, instead of `aggregators`; 0: not used
  AggregatorPlacement aggregator_placement = AggregatorPlacement::kAuto;  ///< which ranks those are
  WritePattern pattern = WritePattern::kAuto;  ///< who stores what of a file that all share
  Index stripe_size_bytes = 0;                 ///< of the file system; 0: what it says itself
  int stripe_count = 0;                        ///< targets that a file is on; 0: what the file system says
  Storage storage = Storage::kPosix;           ///< what moves bytes to files
  std::string hints;                           ///< to MPI-IO: "name=value;name=value"
  Restructure restructure;  ///< regular boxes in which neighbours collect samples before they go to a writer
  /// Ranks that a writer hears from in a round; 0: 2 sqrt(ranks), at least 64, more if messages are large.
  int max_fan_in = 0;
  Index memory_budget_bytes = Index{64} << 20;  ///< extra memory per rank, all buffers together
  Fsync fsync = Fsync::kNone;                   ///< when data must have reached the device
  /// For finding a rank that does not make the collective call of the others: they wait so many seconds for
  /// it at each, and name it then (not yet in create and append). 0: for ever.
  double call_timeout = 0;
  /// A rank that has waited so many seconds for others in a collective call warns on stderr, and names those of
  /// its node that keep it waiting, with the last call of each. 0: no warning.
  double call_warning = 60;
  std::string report;  ///< JSON report: a path, "" beside the dataset, "none"

  /// Sets one option from text. Names are those of the members, without "_bytes"; sizes take K, M, G suffixes
  /// (powers of 1024). kInvalidArgument says what the option takes and changes nothing; an unknown name lists
  /// the known ones.
  Status set(const std::string& name, const std::string& value, const std::string& source = "program");

  /// Built-in values, then the TOML file that ESKER_CONFIG names (or ./esker.toml if there is one), then
  /// the environment: option `aggregators` is ESKER_AGGREGATORS. Unknown names are errors, except
  /// ESKER_TEST_*. A file that was found and not named may not name files (`report`) or allow overwriting.
  /// Local; in a parallel program Writer agrees on rank 0's options. Errors: kNotFound (the file that
  /// ESKER_CONFIG names), kInvalidArgument (text that is no TOML, unknown names, bad values, what a found file
  /// may not say; naming file or variable).
  static Result<Options> load();

  /// One option as text.
  struct Entry {
    std::string name, value, source, help;  ///< source: "built-in", a file's path, a variable, "program"
  };
  /// Every option with its value, where it came from and what it does; in a fixed order.
  [[nodiscard]] std::vector<Entry> entries() const;

 private:
  std::map<std::string, std::string> sources_;
};

}  // namespace esker
