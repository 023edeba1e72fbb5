#include "model/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "codec/codec_spec.h"
#include "model/format_names.h"
#include "model/option_text.h"

namespace esker {
namespace {

constexpr Index kMaxInt = std::numeric_limits<int>::max();
constexpr Index kMaxIndex = std::numeric_limits<Index>::max();
constexpr Index kGiB = Index{1} << 30;
constexpr Index kMaxLevels = 62;

constexpr std::array kFsyncNames{NamedValue{Fsync::kNone, "none"}, NamedValue{Fsync::kStep, "step"},
                                 NamedValue{Fsync::kClose, "close"}};

constexpr std::array kTransportNames{NamedValue{Transport::kAuto, "auto"},
                                     NamedValue{Transport::kMessages, "messages"},
                                     NamedValue{Transport::kShared, "shared"},
                                     NamedValue{Transport::kLeaders, "leaders"},
                                     NamedValue{Transport::kAllToAll, "all_to_all"},
                                     NamedValue{Transport::kPut, "put"},
                                     NamedValue{Transport::kPutFence, "put_fence"},
                                     NamedValue{Transport::kPutTypes, "put_types"},
                                     NamedValue{Transport::kGet, "get"}};

constexpr std::array kPlacementNames{NamedValue{AggregatorPlacement::kAuto, "auto"},
                                     NamedValue{AggregatorPlacement::kNodes, "nodes"},
                                     NamedValue{AggregatorPlacement::kRanks, "ranks"}};

constexpr std::array kPatternNames{
    NamedValue{WritePattern::kAuto, "auto"}, NamedValue{WritePattern::kContiguous, "contiguous"},
    NamedValue{WritePattern::kStripes, "stripes"}, NamedValue{WritePattern::kSlabs, "slabs"}};

constexpr std::array kStorageNames{NamedValue{Storage::kPosix, "posix"},
                                   NamedValue{Storage::kMpiIo, "mpiio"}};

constexpr std::array kInBlockNames{NamedValue{InBlockOrder::kRowMajor, "row_major"},
                                   NamedValue{InBlockOrder::kHz, "hz"}};

constexpr std::array kPartitionIndexNames{NamedValue{PartitionIndex::kGlobal, "global"},
                                          NamedValue{PartitionIndex::kHybrid, "hybrid"},
                                          NamedValue{PartitionIndex::kLocal, "local"}};

constexpr std::array kLevelValuesNames{NamedValue{LevelValues::kSample, "sample"},
                                       NamedValue{LevelValues::kMean, "mean"}};

// ---- rows by the type of their member ----

using Text = std::string_view;

/// Stores a parsed value, if there is one.
template <class Member, class Value>
bool assign(Member& member, const std::optional<Value>& value) {
  if (value) member = static_cast<Member>(*value);
  return value.has_value();
}

template <auto member, const auto& names>
constexpr OptionRow one_of(Text name, Text takes, Text help) {
  return {name, takes, help,
          [](Text text, Options& o) { return assign(o.*member, value_named(names, text)); },
          [](const Options& o) { return std::string(name_of(names, o.*member)); }};
}

template <auto member>
constexpr OptionRow truth(Text name, Text help) {
  return {name, "true or false", help,
          [](Text text, Options& o) { return assign(o.*member, parse_bool(text)); },
          [](const Options& o) { return print_bool(o.*member); }};
}

/// Not set: chosen by Esker.
template <auto member>
constexpr OptionRow truth_or_auto(Text name, Text help) {
  return {name, "auto (chosen by Esker), true or false", help,
          [](Text text, Options& o) {
            if (text != "auto") return assign(o.*member, parse_bool(text));
            (o.*member).reset();
            return true;
          },
          [](const Options& o) { return o.*member ? print_bool(*(o.*member)) : std::string("auto"); }};
}

template <auto member, Index most>
constexpr OptionRow number(Text name, Text takes, Text help) {
  return {name, takes, help, [](Text text, Options& o) { return assign(o.*member, parse_in(text, 0, most)); },
          [](const Options& o) { return std::to_string(o.*member); }};
}

template <auto member, Index least, Index most>
constexpr OptionRow size(Text name, Text takes, Text help) {
  return {name, takes, help,
          [](Text text, Options& o) { return assign(o.*member, parse_size(text, least, most)); },
          [](const Options& o) { return print_size(o.*member); }};
}

template <auto member>
constexpr OptionRow seconds(Text name, Text help) {
  return {name, "0 (off) or seconds", help,
          [](Text text, Options& o) { return assign(o.*member, parse_seconds(text)); },
          [](const Options& o) { return fmt::format("{}", o.*member); }};
}

// ---- the table ----

constexpr Text kReplay = "replay:";

constexpr std::array kDatasetRows{
    OptionRow{"format", "", "file format (changes the dataset)",
              [](Text text, Options& o) {
                return assign(o.format,
                              is_format_name(text) ? std::optional(std::string(text)) : std::nullopt);
              },
              [](const Options& o) { return o.format; }, describe_format_names},
    truth<&Options::overwrite>(
        "overwrite", "create may replace a dataset of Esker, and removes everything in its directory"),
    OptionRow{"compression", "",
              "how blocks and chunks are compressed (changes the dataset): see docs/guide/compression.md",
              [](Text text, Options& o) {
                const bool is_valid = parse_compression_option(std::string(text)).ok();
                return assign(o.compression, is_valid ? std::optional(std::string(text)) : std::nullopt);
              },
              [](const Options& o) { return o.compression; }, [] { return compression_choices(); }},
    number<&Options::bits_per_block, 30>("bits_per_block", "0 (chosen from grid and type) to 30",
                                         "a block holds 2^bits_per_block samples (changes the dataset)"),
    OptionRow{"chunks",
              "auto (chosen from the grid), decomposition (the boxes of the ranks) or extents X,Y,Z",
              "shape of chunks in NetCDF-4 and Zarr files, in samples (changes the dataset)",
              [](Text text, Options& o) { return assign(o.chunks, parse_chunks(text)); },
              [](const Options& o) { return print_chunks(o.chunks); }},
    OptionRow{"levels", "0 (none) to 30, or auto (until no axis has more than 64 samples)",
              "levels of half, quarter ... resolution that Zarr datasets have (changes the dataset)",
              [](Text text, Options& o) { return assign(o.levels, parse_levels(text)); },
              [](const Options& o) {
                return o.levels == Options::kAutoLevels ? "auto" : std::to_string(o.levels);
              }},
    OptionRow{
        "keep_level", "0 (all samples) or a level below, e.g. -3",
        "level of fields without keep rules, from the finest: -3 stores one of 8 samples; IDX only, not "
        "with stored_bits (changes the dataset)",
        [](Text text, Options& o) { return assign(o.keep_level, parse_in(text, -kMaxLevels, 0)); },
        [](const Options& o) { return std::to_string(o.keep_level); }},
    truth<&Options::partial>("partial",
                             "samples that no rank puts get the field's fill value (changes the dataset)"),
    one_of<&Options::partition_index, kPartitionIndexNames>(
        "partition_index", "global, hybrid or local",
        "hybrid: partitions store the coarse samples of their bricks, until `esker merge`; local: partitions "
        "have separate .idx or NetCDF-4 files (changes the dataset)"),
};

constexpr std::array kSpeedRows{
    OptionRow{
        "tune", "off, auto or replay:REPORT (the path of a JSON report)",
        "auto: try other values of options that are not set, and keep those that make steps faster; see "
        "docs/guide/tuning.md",
        [](Text text, Options& o) {
          const bool is_valid =
              text == "off" || text == "auto" || (text.starts_with(kReplay) && text.size() > kReplay.size());
          return assign(o.tune, is_valid ? std::optional(std::string(text)) : std::nullopt);
        },
        [](const Options& o) { return o.tune; }},
    number<&Options::aggregators, kMaxInt>(
        "aggregators", "0 (chosen from ranks, files and bytes) or a number", "number of ranks that write"),
    size<&Options::memory_budget_bytes, 1, kMaxIndex>("memory_budget", "a size, e.g. 64M",
                                                      "extra memory per rank, for buffers and the plan"),
    truth<&Options::async>("async",
                           "end_step returns before the step is stored: a thread does that, and the next "
                           "collective call commits it; see docs/guide/async.md"),
    OptionRow{
        "partitions",
        "0 (not divided), a number of partitions, size:K (ranks in each) or nodes:K (nodes in each)",
        "ranks collect samples among their neighbors, in IDX, or NetCDF-4 with partition_index=local: see "
        "docs/guide/patterns.md (changes the dataset if partition_index=hybrid or local, or if "
        "blocks_per_file=0 and a partition stores more than 512 MiB in a step; with size:K and nodes:K, "
        "so does the number of ranks or nodes)",
        [](Text text, Options& o) { return assign(o.partitions, parse_partitions(text)); },
        [](const Options& o) { return print_partitions(o.partitions); }},
    OptionRow{"restructure", "off, default, expanded or extents X,Y,Z that are powers of two",
              "regular boxes in which neighboring ranks collect samples first",
              [](Text text, Options& o) { return assign(o.restructure, Restructure::parse(text)); },
              [](const Options& o) { return o.restructure.to_string(); }},
    number<&Options::compress_threads, 1024>("compress_threads", "0 (one per processor) or a number",
                                             "threads per rank that compress"),
};

constexpr std::array kSafetyRows{
    one_of<&Options::fsync, kFsyncNames>("fsync", "none, step or close",
                                         "when data must have reached the device"),
    truth<&Options::checksums>("checksums",
                               "store checksums of blocks and block tables (changes the dataset)"),
    seconds<&Options::call_timeout>(
        "call_timeout", "fail after this many seconds if ranks do not join a collective call, and name them"),
    seconds<&Options::call_warning>(
        "call_warning",
        "warn on stderr after this many seconds if ranks do not join a collective call, and name them"),
    truth<&Options::compare_shared_nodes>("compare_shared_nodes",
                                          "for debugging: fail if patches of a node-centered mesh have "
                                          "different values at nodes that they share"),
};

constexpr std::array kExpertRows{
    number<&Options::blocks_per_file, kMaxIndex>("blocks_per_file",
                                                 "0 (chosen from the size of a step) or a number",
                                                 "blocks per file (changes the dataset)"),
    one_of<&Options::level_values, kLevelValuesNames>(
        "level_values", "sample or mean",
        "what these levels hold: every second sample, every fourth ..., or means of all samples (changes the "
        "dataset)"),
    size<&Options::alignment_bytes, 1, kGiB>(
        "alignment", "a size from 1 to 1G, e.g. 4K",
        "data and blocks start at multiples of this size (changes the dataset)"),
    size<&Options::chunk_alignment_bytes, 1, kGiB>(
        "chunk_alignment", "a size from 1 to 1G, e.g. 1M",
        "chunks in NetCDF-4 files start at multiples of this size (changes the dataset)"),
    one_of<&Options::in_block, kInBlockNames>("in_block", "row_major or hz",
                                              "order of samples in a block (changes the dataset)"),
    truth<&Options::split>(
        "split", "split fields that OpenVisus cannot copy into several fields (changes the dataset)"),
    truth_or_auto<&Options::aggregate>("aggregate",
                                       "true: some ranks write for all ranks; false: each rank writes its "
                                       "own samples, without an exchange; auto: depends on nodes and format"),
    truth_or_auto<&Options::aggregate_reads>("aggregate_reads",
                                             "true: some ranks read for all ranks; false: each rank reads "
                                             "its own boxes; auto: depends on nodes and "
                                             "boxes"),
    one_of<&Options::aggregator_placement, kPlacementNames>("aggregator_placement",
                                                            "auto (chosen by Esker), nodes or ranks",
                                                            "which ranks write: see docs/guide/planning.md"),
    one_of<&Options::transport, kTransportNames>(
        "transport",
        "auto (chosen by Esker), messages, shared, leaders, all_to_all, put, put_fence, put_types or get",
        "how samples move between ranks: see docs/internals/transports.md"),
    one_of<&Options::pattern, kPatternNames>("pattern",
                                             "auto (chosen by Esker), contiguous, stripes or slabs",
                                             "how a shared file is divided: see docs/guide/patterns.md"),
    OptionRow{"stripe_size", "0 (ask the file system) or a size from 4K to 1G, e.g. 1M",
              "stripe size of the file system",
              [](Text text, Options& o) {
                return assign(o.stripe_size_bytes,
                              text == "0" ? std::optional<Index>(0) : parse_size(text, Index{4} << 10, kGiB));
              },
              [](const Options& o) { return print_size(o.stripe_size_bytes); }},
    number<&Options::stripe_count, kMaxInt>("stripe_count", "0 (ask the file system) or a number",
                                            "number of storage targets that a file is striped over"),
    one_of<&Options::storage, kStorageNames>("storage", "posix or mpiio", "how bytes are written to files"),
    OptionRow{"hints", "name=value;name=value ... or nothing", "MPI-IO hints, with storage=mpiio",
              [](Text text, Options& o) {
                return assign(o.hints, is_hints(text) ? std::optional(std::string(text)) : std::nullopt);
              },
              [](const Options& o) { return o.hints; }},
    size<&Options::collective_buffer_bytes, 0, kGiB>(
        "collective_buffer", "0 (chosen by Esker) or a size, e.g. 4M",
        "size of the collective buffer: what an aggregator collects and writes at a time"),
    truth_or_auto<&Options::store_thread>("store_thread",
                                          "true: a thread writes one collective buffer while the next one is "
                                          "filled; auto: if the previous step "
                                          "waited for storage"),
    size<&Options::async_memory_bytes, 1, kMaxIndex>(
        "async_memory", "a size, e.g. 256M",
        "with async: extra memory per rank, for bytes that are not stored yet"),
    number<&Options::async_cores, 1024>(
        "async_cores", "0 (where the rank runs) or a number",
        "with async: the thread may run on so many processors of the node, the last ones"),
    OptionRow{
        "stage", "the path of a directory or nothing",
        "with async: bytes that exceed async_memory go to a temporary file there, on a disk of the node",
        [](Text text, Options& o) { return assign(o.stage, std::optional(std::string(text))); },
        [](const Options& o) { return o.stage; }},
    number<&Options::max_fan_in, kMaxInt>("max_fan_in", "0 (chosen from the number of ranks) or a number",
                                          "maximum number of ranks that send to an aggregator in a round"),
    OptionRow{"report", "a path, nothing (next to the dataset) or none",
              "JSON report; missing directories of its path are created",
              [](Text text, Options& o) { return assign(o.report, std::optional(std::string(text))); },
              [](const Options& o) { return o.report; }},
    truth<&Options::report_timeline>("report_timeline",
                                     "the JSON report tells what each rank did when, in the last steps"),
    number<&Options::tune_seed, kMaxInt>("tune_seed", "a number", "with tune=auto: what is tried first"),
    truth<&Options::tune_cache>("tune_cache", "with tune=auto: remember in the user's cache what was found"),
    OptionRow{"tune_model", "a path or nothing (tune_model.json in the user's cache, if there is one)",
              "with tune=auto: the model of step times that says what is tried first, see esker tune fit",
              [](Text text, Options& o) { return assign(o.tune_model, std::optional(std::string(text))); },
              [](const Options& o) { return o.tune_model; }},
};

/// The rows of a group, which says so, behind others.
template <std::size_t n_before, std::size_t n>
constexpr std::array<OptionRow, n_before + n> append(const std::array<OptionRow, n_before>& before,
                                                     const std::array<OptionRow, n>& rows,
                                                     OptionGroup group) {
  std::array<OptionRow, n_before + n> all{};
  std::copy(before.begin(), before.end(), all.begin());
  for (std::size_t i = 0; i < n; ++i) {
    all[n_before + i] = rows[i];
    all[n_before + i].group = group;
  }
  return all;
}

constexpr auto kDatasetAndSpeed = append(
    append(std::array<OptionRow, 0>{}, kDatasetRows, OptionGroup::kDataset), kSpeedRows, OptionGroup::kSpeed);
constexpr auto kRows =
    append(append(kDatasetAndSpeed, kSafetyRows, OptionGroup::kSafety), kExpertRows, OptionGroup::kExpert);

constexpr std::array kGroupNames{
    NamedValue{OptionGroup::kDataset, "dataset"}, NamedValue{OptionGroup::kSpeed, "speed"},
    NamedValue{OptionGroup::kSafety, "safety"}, NamedValue{OptionGroup::kExpert, "experts"}};

/// Names of options that no longer exist, and what replaces them.
constexpr std::array<std::pair<Text, Text>, 2> kRemoved{
    {{"aggregation_factor", "aggregators, the number of ranks divided by it"},
     {"window", "collective_buffer"}}};

// ---- guesses ----

/// Minimum number of characters to insert, delete or change that turn `a` into `b`.
std::size_t edit_distance(Text a, Text b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::span<const OptionRow> option_rows() { return kRows; }

std::string_view name(OptionGroup group) { return name_of(kGroupNames, group); }

std::string_view name(WritePattern pattern) { return name_of(kPatternNames, pattern); }

const OptionRow* find_option(Text name) {
  const auto row =
      std::find_if(kRows.begin(), kRows.end(), [&](const OptionRow& r) { return r.name == name; });
  return row == kRows.end() ? nullptr : &*row;
}

Status unknown_option(Text name) {
  for (const auto& [removed, current] : kRemoved) {
    if (name == removed) {
      return error(Code::kInvalidArgument, "the option '{}' was removed: set {}", removed, current);
    }
  }
  constexpr std::size_t kMaxTypos = 3;
  const Text shown = name.substr(0, 64);
  std::string known, guess;
  std::size_t best = kMaxTypos + 1;
  for (const OptionRow& row : kRows) {
    known += (known.empty() ? "" : ", ") + std::string(row.name);
    const std::size_t distance = edit_distance(shown, row.name);
    if (distance < best) best = distance, guess = "; did you mean '" + std::string(row.name) + "'?";
  }
  return error(Code::kInvalidArgument, "unknown option '{}'{} (options: {})", excerpt(shown), guess, known);
}

}  // namespace esker
