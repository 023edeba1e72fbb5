// Options: settings for writing and parallel reading. All of them can be set without changing the model's
// code.
//
//   auto options = esker::Options::load().value();      // built-in < esker.toml < ESKER_* environment
//   options.set("aggregators", "2").check();            // < the program
// The order of setting does not matter, and setting one option never changes another. Only options marked
// (format) affect the bytes of the dataset.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/export.h"
#include "esker/types/in_block_order.hpp"
#include "esker/types/restructure.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// When data must have reached the device: never (safe only if processes are killed, not if the machine
/// fails), before end_step returns, or before close returns.
enum class Fsync { kNone, kStep, kClose };

/// How samples move between ranks. Which one is fastest depends on the placement of the ranks. The dataset
/// does not depend on it.
enum class Transport {
  kAuto,      ///< shared or leaders if shared memory is available, else messages
  kMessages,  ///< one message per pair of ranks and round
  kShared,    ///< shared-memory buffers within a node; messages between nodes
  kLeaders,   ///< as kShared; between nodes, one message per pair of nodes and round
  kAllToAll,  ///< one collective call per round (MPI_Alltoallv)
  kPut,       ///< one MPI_Put per pair of ranks and round; synchronized pair by pair
  kPutFence,  ///< the same; synchronized by fences over all ranks
  kPutTypes,  ///< as kPutFence, directly from the patches with derived datatypes, without packing
  kGet,       ///< one MPI_Get per pair of ranks and round; synchronized pair by pair
};

/// Which ranks are aggregators, if not all ranks are.
enum class AggregatorPlacement {
  /// On one node with shared memory: the rank whose box contains the center of the aggregator's domain. Else
  /// kNodes.
  kAuto,
  kNodes,  ///< spread evenly over the nodes, however ranks are numbered; contiguous file domains
  kRanks,  ///< spread evenly over the rank numbers; contiguous file domains
};

/// How a file that all aggregators share (a CDF file) is divided among them. IDX blocks and NetCDF-4 chunks
/// are assigned by proximity on one node, and in contiguous file domains across nodes.
enum class WritePattern {
  kAuto,        ///< stripes if the file system or an option gives the stripe size; else contiguous
  kContiguous,  ///< a contiguous part of each variable per aggregator
  kStripes,     ///< stripe i belongs to aggregator i modulo their number: each writes to one storage target
  kSlabs,       ///< complete indices of a variable's slowest axis (for example vertical levels)
};

/// The pattern's name, as the option `pattern` takes it.
ESKER_API std::string_view name(WritePattern pattern);

/// How bytes are written to files.
enum class Storage {
  kPosix,  ///< POSIX system calls
  kMpiIo,  ///< MPI-IO, with independent writes; needs MPI
};

/// What an option is for: what is stored; speed and memory; what happens when something fails; details that
/// few runs need to set.
enum class OptionGroup { kDataset, kSpeed, kSafety, kExpert };

/// The group's name, as `esker options` prints it.
ESKER_API std::string_view name(OptionGroup group);

/// Shape of chunks in NetCDF-4 and Zarr files. As text: "auto", "decomposition", or extents "X,Y,...".
struct Chunks {
  bool by_decomposition = false;  ///< chunks are the ranks' boxes of each field at the first step
  /// Samples per axis, x first, for all fields. Empty and not by decomposition: chosen from grid and type.
  std::vector<Index> extents;
};

/// How ranks are divided into partitions, which collect samples among themselves. As text: "0" (not divided),
/// a number of partitions, "size:K" (ranks in a partition) or "nodes:K" (nodes in a partition).
struct Partitions {
  enum class Unit { kPartitions, kRanks, kNodes };  ///< of the number
  Unit unit = Unit::kPartitions;
  Index number = 0;  ///< of partitions, or of ranks or nodes in each; 0: not divided
};

/// How blocks of partitions are numbered.
enum class PartitionIndex {
  kGlobal,  ///< as without partitions
  kHybrid,  ///< each partition stores the coarse samples of its brick; `esker merge` makes the global bytes
  kLocal,   ///< each partition is a dataset in its own coordinates; together they are opened as one
};

/// What the levels of a Zarr dataset hold, see Options::levels.
enum class LevelValues {
  kSample,  ///< level k: every 2^k-th sample along each axis
  kMean,    ///< level k: the means of the samples in cells of 2^k along each axis
};

struct ESKER_API Options {
  /// (format) "idx", "cdf", "cdf1", "cdf2", "cdf5", "netcdf4", "cdf5+idx" ...; "auto": by the suffix of the
  /// dataset's name: .nc is "cdf", .nc4, .h5 and .hdf5 are "netcdf4", anything else is "idx".
  std::string format = "auto";
  bool overwrite = false;        ///< create may replace a dataset of Esker, and everything in its directory
  int bits_per_block = 0;        ///< (format) 0: chosen from grid and type
  Index blocks_per_file = 0;     ///< (format) 0: chosen from the step's size
  Index alignment_bytes = 4096;  ///< (format) data and blocks start at multiples of it
  Chunks chunks;                 ///< (format) chunk shape of NetCDF-4 and Zarr files
  /// (format) Zarr: levels of half, quarter ... resolution that are stored, too; kAutoLevels: until no axis
  /// has more than 64 samples.
  int levels = 0;
  static constexpr int kAutoLevels = -1;
  LevelValues level_values = LevelValues::kSample;  ///< (format) what these levels hold
  Index chunk_alignment_bytes = 1;                  ///< (format) NetCDF-4: chunks start at multiples of it
  InBlockOrder in_block = InBlockOrder::kRowMajor;  ///< (format) order of samples in a block
  bool split = true;      ///< (format) fields with samples that OpenVisus cannot copy are split into several
  bool checksums = true;  ///< (format) for each block and each block table
  /// Fields for which no rank has a rule in a step (Writer::keep) store the samples of this level everywhere:
  /// 0 all, -3 one of 8. Below 0, CDF, NetCDF-4 and fields with stored bits are an error, as for rules.
  int keep_level = 0;
  /// Samples of a field that is put, but which no rank puts, are _FillValue. If false, they are an error.
  bool partial = false;
  /// For debugging: several node-centered patches of a level may put the nodes on their borders, and the
  /// first patch is stored there. If true, different values at such a node are an error that names it. Costs
  /// a message per pair of ranks and field.
  bool compare_shared_nodes = false;
  /// (format) How blocks and chunks are compressed, unless a field says otherwise: "none", "zip", "lz4",
  /// "zfp-reversible", "zfp-precision=N" (bits), "zfp-accuracy=X" (largest absolute error).
  std::string compression = "none";
  int compress_threads = 0;  ///< threads per rank that compress; 0: one per processor
  /// false: each rank writes its own samples (one phase, no checksums). Not set: false where all ranks are on
  /// one node and their patches are contiguous in the file, as in VTKHDF files, and no other option asks for
  /// an exchange; else true.
  std::optional<bool> aggregate;
  /// How ranks read collectively. true: aggregators read large contiguous parts and deliver the samples (two
  /// phases). false: each rank reads its own boxes. Not set: chosen from the ranks' nodes and boxes.
  std::optional<bool> aggregate_reads;
  Transport transport = Transport::kAuto;  ///< how samples move between ranks
  /// Whether a thread writes one collective buffer while the next one is filled (not with MPI-IO). Not set:
  /// on ranks that spent most of the previous step waiting for storage.
  std::optional<bool> store_thread;
  Index collective_buffer_bytes = 0;  ///< what an aggregator collects and writes at a time; 0: chosen
  /// Number of aggregators (ranks that write). 0: one per file and field, at most one per 4 MiB of a step and
  /// at most all ranks. For a single shared file only these two limits apply.
  int aggregators = 0;
  AggregatorPlacement aggregator_placement = AggregatorPlacement::kAuto;  ///< which ranks are aggregators
  WritePattern pattern = WritePattern::kAuto;                             ///< how a shared file is divided
  Index stripe_size_bytes = 0;                                            ///< 0: ask the file system
  int stripe_count = 0;               ///< storage targets of a file; 0: ask the file system
  Storage storage = Storage::kPosix;  ///< how bytes are written to files
  std::string hints;                  ///< for MPI-IO: "name=value;name=value"
  Restructure restructure;            ///< regular boxes in which neighbors collect samples before aggregation
  /// Each part of the grid is collected by the ranks that hold it (docs/guide/patterns.md). IDX, or NetCDF-4
  /// with partition_index=local. Their number, with size:K and nodes:K given by the ranks, changes the files
  /// with partition_index=local, and with hybrid until a merge; else only blocks_per_file where that is 0 and
  /// a partition stores more than 512 MiB in a step.
  Partitions partitions;
  /// (format) How the blocks of the partitions are numbered. kHybrid: equal bricks, a power of two; without
  /// compression and stored_bits; OpenVisus refuses the dataset until it is merged. kLocal: each partition
  /// has .idx files, which OpenVisus opens separately or through a .midx, or a NetCDF-4 file under a virtual
  /// one; any number of partitions; without stored_bits.
  PartitionIndex partition_index = PartitionIndex::kGlobal;
  /// Maximum number of ranks that send to an aggregator in a round. 0: 2 sqrt(ranks), at least 64, more if
  /// messages are large.
  int max_fan_in = 0;
  Index memory_budget_bytes = Index{64} << 20;  ///< memory for all buffers together, per rank
  /// Writer::end_step() returns before the step is stored (not with MPI-IO): a thread stores it, and the next
  /// collective call commits it. Like Writer::end_step_async() in each step.
  bool async = false;
  /// With async: memory per rank, in addition to memory_budget_bytes, for bytes that are not stored yet.
  /// end_step() returns when the rest is stored.
  Index async_memory_bytes = Index{256} << 20;
  /// With async: the thread may run on so many processors of the node, the last ones; 0: only on those that
  /// the rank is bound to.
  int async_cores = 0;
  /// With async: bytes that exceed this memory go to a temporary file in this directory, on a disk of the
  /// node; empty: they do not.
  std::string stage;
  Fsync fsync = Fsync::kNone;  ///< when data must have reached the device
  /// Detects a rank that does not join a collective call: the others fail after this many seconds and name
  /// it. In create and append they do not know which rank it is. 0: wait forever.
  double call_timeout = 0;
  /// A rank that has waited this many seconds in a collective call warns on stderr and names the ranks of its
  /// node that are missing, with the last call of each. 0: no warning.
  double call_warning = 60;
  /// JSON report: a path, whose missing directories are created, "" for next to the dataset, or "none"
  std::string report;
  /// The report tells what each rank, or at most 64 of them, did when, in the last steps: at most 1 MiB.
  bool report_timeline = false;
  /// "auto": a run tries other values of the options that the user did not set, and keeps those that make
  /// steps faster. The files stay the same. "replay:FILE": repeats what the report FILE of an earlier run
  /// tells. "off".
  std::string tune = "off";
  int tune_seed = 1;       ///< with tune=auto: which of several directions is tried first
  bool tune_cache = true;  ///< with tune=auto: remember for later runs what was found, in the user's cache
  /// With tune=auto: the path of a model of step times; empty: esker/tune_model.json in the user's cache, if
  /// it is there, unless tune_cache is false.
  std::string tune_model;

  /// Sets one option from text. Names are those of the members, without "_bytes"; sizes take K, M, G suffixes
  /// (powers of 1024). On kInvalidArgument nothing changes and the message says which values the option
  /// takes, what replaces a removed option, or lists the known names.
  Status set(const std::string& name, const std::string& value, const std::string& source = "program");

  /// Built-in values, then the TOML file named by ESKER_CONFIG (or ./esker.toml if it exists), then the
  /// environment: option `aggregators` is ESKER_AGGREGATORS. Unknown names are errors, except ESKER_TEST_*. A
  /// ./esker.toml that ESKER_CONFIG does not name may not set `report` or `overwrite`. Local; in a parallel
  /// program Writer uses rank 0's options on all ranks. Errors: kNotFound (the file named by ESKER_CONFIG),
  /// kInvalidArgument (invalid TOML, unknown names, bad values, options that ./esker.toml may not set; the
  /// message names the file or variable).
  static Result<Options> load();

  /// One option as text.
  struct Entry {
    std::string name, value, source, help;  ///< source: "built-in", a file's path, a variable, "program"
    OptionGroup group = OptionGroup::kExpert;
  };
  /// Every option with its value, source and description, group by group.
  [[nodiscard]] std::vector<Entry> entries() const;

 private:
  std::map<std::string, std::string> sources_;
};

}  // namespace esker
