// Every option is one row of kOptions: its name, its meaning, its parser and its printer.
#include "esker/options.hpp"

#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"

namespace esker {
namespace {

// ---- values as text: parsers return nothing for text that the option does not accept ----

std::optional<bool> parse_bool(std::string_view text) {
  if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  return std::nullopt;
}

std::string print_bool(bool value) { return value ? "true" : "false"; }

std::optional<Index> parse_in(std::string_view text, Index least, Index most) {
  const auto value = parse_integer(text);
  return value && *value >= least && *value <= most ? value : std::nullopt;
}

constexpr std::string_view kSuffixes = "KMG";

/// "4096", "64K"; "1.5M" is invalid. Powers of 1024.
std::optional<Index> parse_size(std::string_view text, Index least, Index most) {
  Index unit = 1;
  const std::size_t suffix =
      text.empty() ? std::string_view::npos
                   : kSuffixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
  if (suffix != std::string_view::npos) {
    unit = Index{1} << 10 * (suffix + 1);
    text.remove_suffix(1);
  }
  const auto count = parse_integer(trim(text));
  const auto bytes = count ? checked_mul(*count, unit) : std::nullopt;
  return bytes && *bytes >= least && *bytes <= most ? bytes : std::nullopt;
}

std::string print_size(Index bytes) {
  std::size_t suffix = 0;
  while (bytes != 0 && bytes % 1024 == 0 && suffix < kSuffixes.size()) bytes /= 1024, ++suffix;
  return std::to_string(bytes) + (suffix == 0 ? std::string() : std::string(1, kSuffixes[suffix - 1]));
}

constexpr std::array<std::string_view, 14> kFormats{
    "auto",    "idx",      "cdf",      "cdf1",     "cdf2",        "cdf5",    "netcdf4", "hdf5",
    "cdf+idx", "cdf1+idx", "cdf2+idx", "cdf5+idx", "netcdf4+idx", "hdf5+idx"};

std::optional<Chunks> parse_chunks(std::string_view text) {
  Chunks chunks;
  if (text == "auto") return chunks;
  chunks.by_decomposition = text == "decomposition";
  if (chunks.by_decomposition) return chunks;
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto extent = parse_integer(trim(text.substr(0, comma)));
    if (!extent || *extent < 1 || chunks.extents.size() == kMaxRank) return std::nullopt;
    chunks.extents.push_back(*extent);
    if (comma == text.size()) return chunks;
    text.remove_prefix(comma + 1);
  }
}

std::string print_chunks(const Chunks& chunks) {
  if (chunks.by_decomposition) return "decomposition";
  return chunks.extents.empty() ? "auto" : fmt::format("{}", fmt::join(chunks.extents, ","));
}

constexpr std::array<std::string_view, 3> kFsyncNames{"none", "step", "close"};  // in the order of Fsync

constexpr std::array<std::string_view, 9> kTransportNames{
    // as Transport
    "auto", "messages", "shared", "leaders", "all_to_all", "put", "put_fence", "put_types", "get"};

constexpr std::array<std::string_view, 3> kPlacementNames{"auto", "nodes",
                                                          "ranks"};  // as AggregatorPlacement

constexpr std::array<std::string_view, 4> kPatternNames{"auto", "contiguous", "stripes", "slabs"};
constexpr std::array<std::string_view, 2> kStorageNames{"posix", "mpiio"};
constexpr std::array<std::string_view, 2> kInBlockNames{"row_major", "hz"};  // in the order of InBlockOrder

/// The enumerator at the position of `text` in the list of their names.
template <class Enum, std::size_t n>
std::optional<Enum> parse_name(const std::array<std::string_view, n>& names, std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

std::optional<Fsync> parse_fsync(std::string_view text) { return parse_name<Fsync>(kFsyncNames, text); }

std::optional<Transport> parse_transport(std::string_view text) {
  return parse_name<Transport>(kTransportNames, text);
}

std::optional<InBlockOrder> parse_in_block(std::string_view text) {
  return parse_name<InBlockOrder>(kInBlockNames, text);
}

std::optional<double> parse_seconds(std::string_view text) {
  const auto value = parse_real(text);
  return value && *value >= 0 && std::isfinite(*value) ? value : std::nullopt;
}

/// Names and values, neither of which may be empty.
bool is_hints(std::string_view text) {
  while (!text.empty()) {
    const std::string_view hint = text.substr(0, text.find(';'));
    const std::size_t equal = hint.find('=');
    if (equal == 0 || equal == std::string_view::npos || equal + 1 == hint.size()) return false;
    text.remove_prefix(std::min(text.size(), hint.size() + 1));
  }
  return true;
}

/// Stores a parsed value, if there is one.
template <class Member, class Value>
bool assign(Member& member, const std::optional<Value>& value) {
  if (value) member = static_cast<Member>(*value);
  return value.has_value();
}

/// "auto" is nothing.
bool assign_or_auto(std::optional<bool>& member, std::string_view text) {
  if (text != "auto") return assign(member, parse_bool(text));
  member.reset();
  return true;
}

std::string print_or_auto(const std::optional<bool>& value) { return value ? print_bool(*value) : "auto"; }

// ---- the table ----

constexpr Index kMaxInt = std::numeric_limits<int>::max();
constexpr Index kMaxIndex = std::numeric_limits<Index>::max();
constexpr Index kGiB = Index{1} << 30;

struct OptionRow {
  std::string_view name;
  std::string_view takes;  ///< for messages: the form of a value
  std::string_view help;
  bool (*parse)(std::string_view text, Options& options);  ///< false, and no change, if the text is not taken
  std::string (*print)(const Options& options);
};

constexpr std::array<OptionRow, 30> kOptions{{
    {"format",
     "auto (what the suffix of the name says: .nc is cdf; .nc4, .h5 and .hdf5 are netcdf4; all else is idx), "
     "idx, cdf (the smallest that holds the fields), cdf1, cdf2, cdf5 or netcdf4 (also: hdf5); cdf5+idx and so "
     "on: both",
     "file format (changes the dataset)",
     [](std::string_view text, Options& o) {
       const bool is_known = std::find(kFormats.begin(), kFormats.end(), text) != kFormats.end();
       return assign(o.format, is_known ? std::optional(std::string(text)) : std::nullopt);
     },
     [](const Options& o) { return o.format; }},
    {"overwrite", "true or false", "create may replace an existing dataset",
     [](std::string_view text, Options& o) { return assign(o.overwrite, parse_bool(text)); },
     [](const Options& o) { return print_bool(o.overwrite); }},
    {"bits_per_block", "0 (chosen from grid and type) to 30",
     "a block holds 2^bits_per_block samples (changes the dataset)",
     [](std::string_view text, Options& o) { return assign(o.bits_per_block, parse_in(text, 0, 30)); },
     [](const Options& o) { return std::to_string(o.bits_per_block); }},
    {"blocks_per_file", "0 (chosen from the step's size) or a number",
     "blocks per file (changes the dataset)",
     [](std::string_view text, Options& o) {
       return assign(o.blocks_per_file, parse_in(text, 0, kMaxIndex));
     },
     [](const Options& o) { return std::to_string(o.blocks_per_file); }},
    {"alignment", "a size from 1 to 1G, e.g. 4K",
     "data start and blocks begin at multiples (changes the dataset)",
     [](std::string_view text, Options& o) { return assign(o.alignment_bytes, parse_size(text, 1, kGiB)); },
     [](const Options& o) { return print_size(o.alignment_bytes); }},
    {"chunks", "auto (chosen from the grid), decomposition (what ranks hold) or extents X,Y,Z",
     "samples per chunk and axis, in NetCDF-4 files (changes the dataset)",
     [](std::string_view text, Options& o) { return assign(o.chunks, parse_chunks(text)); },
     [](const Options& o) { return print_chunks(o.chunks); }},
    {"chunk_alignment", "a size from 1 to 1G, e.g. 1M",
     "chunks of a field begin at multiples, in NetCDF-4 files (changes the dataset)",
     [](std::string_view text, Options& o) {
       return assign(o.chunk_alignment_bytes, parse_size(text, 1, kGiB));
     },
     [](const Options& o) { return print_size(o.chunk_alignment_bytes); }},
    {"in_block", "row_major or hz", "order of samples in a block (changes the dataset)",
     [](std::string_view text, Options& o) { return assign(o.in_block, parse_in_block(text)); },
     [](const Options& o) { return std::string(kInBlockNames[static_cast<std::size_t>(o.in_block)]); }},
    {"split", "true or false",
     "store fields whose samples OpenVisus cannot copy as several (changes the dataset)",
     [](std::string_view text, Options& o) { return assign(o.split, parse_bool(text)); },
     [](const Options& o) { return print_bool(o.split); }},
    {"checksums", "true or false", "store checksums of blocks and their tables (changes the dataset)",
     [](std::string_view text, Options& o) { return assign(o.checksums, parse_bool(text)); },
     [](const Options& o) { return print_bool(o.checksums); }},
    {"aggregate", "true or false", "false: each rank writes its own runs of samples, without exchange",
     [](std::string_view text, Options& o) { return assign(o.aggregate, parse_bool(text)); },
     [](const Options& o) { return print_bool(o.aggregate); }},
    {"aggregate_reads", "auto (chosen by Esker), true or false",
     "true: some ranks read for all; false: each rank reads its own boxes; auto: by nodes and boxes",
     [](std::string_view text, Options& o) { return assign_or_auto(o.aggregate_reads, text); },
     [](const Options& o) { return print_or_auto(o.aggregate_reads); }},
    {"aggregators", "0 (chosen from ranks, files and bytes) or a number", "ranks that write",
     [](std::string_view text, Options& o) { return assign(o.aggregators, parse_in(text, 0, kMaxInt)); },
     [](const Options& o) { return std::to_string(o.aggregators); }},
    {"aggregation_factor", "0 (not used) or a number", "ranks for each one that writes; not with aggregators",
     [](std::string_view text, Options& o) {
       return assign(o.aggregation_factor, parse_in(text, 0, kMaxInt));
     },
     [](const Options& o) { return std::to_string(o.aggregation_factor); }},
    {"aggregator_placement", "auto (chosen by Esker), nodes or ranks", "which ranks write: see docs/guide/planning.md",
     [](std::string_view text, Options& o) {
       return assign(o.aggregator_placement, parse_name<AggregatorPlacement>(kPlacementNames, text));
     },
     [](const Options& o) {
       return std::string(kPlacementNames[static_cast<std::size_t>(o.aggregator_placement)]);
     }},
    {"transport", "auto (chosen by Esker), messages, shared, leaders, all_to_all, put, put_fence, put_types or get",
     "how samples get from rank to rank: see docs/internals/transports.md",
     [](std::string_view text, Options& o) { return assign(o.transport, parse_transport(text)); },
     [](const Options& o) { return std::string(kTransportNames[static_cast<std::size_t>(o.transport)]); }},
    {"pattern", "auto (chosen by Esker), contiguous, stripes or slabs",
     "who stores what of a file that all writers share: see docs/guide/patterns.md",
     [](std::string_view text, Options& o) {
       return assign(o.pattern, parse_name<WritePattern>(kPatternNames, text));
     },
     [](const Options& o) { return std::string(name(o.pattern)); }},
    {"stripe_size", "0 (what the file system says) or a size from 4K to 1G, e.g. 1M",
     "stripes of the file system",
     [](std::string_view text, Options& o) {
       return assign(o.stripe_size_bytes,
                     text == "0" ? std::optional<Index>(0) : parse_size(text, Index{4} << 10, kGiB));
     },
     [](const Options& o) { return print_size(o.stripe_size_bytes); }},
    {"stripe_count", "0 (what the file system says) or a number",
     "targets of the file system that a file is on",
     [](std::string_view text, Options& o) { return assign(o.stripe_count, parse_in(text, 0, kMaxInt)); },
     [](const Options& o) { return std::to_string(o.stripe_count); }},
    {"storage", "posix or mpiio", "what moves bytes to files",
     [](std::string_view text, Options& o) {
       return assign(o.storage, parse_name<Storage>(kStorageNames, text));
     },
     [](const Options& o) { return std::string(kStorageNames[static_cast<std::size_t>(o.storage)]); }},
    {"hints", "name=value;name=value ... or nothing", "to MPI-IO, with storage=mpiio",
     [](std::string_view text, Options& o) {
       return assign(o.hints, is_hints(text) ? std::optional(std::string(text)) : std::nullopt);
     },
     [](const Options& o) { return o.hints; }},
    {"window", "0 (chosen) or a size, e.g. 4M", "collected and written at a time by a rank",
     [](std::string_view text, Options& o) { return assign(o.window_bytes, parse_size(text, 0, kGiB)); },
     [](const Options& o) { return print_size(o.window_bytes); }},
    {"store_thread", "auto (chosen by Esker), true or false",
     "true: a thread stores while the next window is filled; auto: if storing waited in the last step",
     [](std::string_view text, Options& o) { return assign_or_auto(o.store_thread, text); },
     [](const Options& o) { return print_or_auto(o.store_thread); }},
    {"restructure", "off, default, expanded or extents X,Y,Z that are powers of two",
     "regular boxes in which neighbours collect samples first",
     [](std::string_view text, Options& o) { return assign(o.restructure, Restructure::parse(text)); },
     [](const Options& o) { return o.restructure.to_string(); }},
    {"max_fan_in", "0 (chosen from the ranks) or a number", "ranks that a writer hears from in a round",
     [](std::string_view text, Options& o) { return assign(o.max_fan_in, parse_in(text, 0, kMaxInt)); },
     [](const Options& o) { return std::to_string(o.max_fan_in); }},
    {"memory_budget", "a size, e.g. 64M", "extra memory per rank: buffers and the plan",
     [](std::string_view text, Options& o) {
       return assign(o.memory_budget_bytes, parse_size(text, 1, kMaxIndex));
     },
     [](const Options& o) { return print_size(o.memory_budget_bytes); }},
    {"fsync", "none, step or close", "when data must have reached the device",
     [](std::string_view text, Options& o) { return assign(o.fsync, parse_fsync(text)); },
     [](const Options& o) { return std::string(kFsyncNames[static_cast<std::size_t>(o.fsync)]); }},
    {"call_timeout", "0 (off) or seconds",
     "wait so long for ranks that do not make a collective call, and name them",
     [](std::string_view text, Options& o) { return assign(o.call_timeout, parse_seconds(text)); },
     [](const Options& o) { return fmt::format("{}", o.call_timeout); }},
    {"call_warning", "0 (off) or seconds",
     "name on stderr the ranks for which others have waited so long in a collective call",
     [](std::string_view text, Options& o) { return assign(o.call_warning, parse_seconds(text)); },
     [](const Options& o) { return fmt::format("{}", o.call_warning); }},
    {"report", "a path, nothing (beside the dataset) or none", "JSON report",
     [](std::string_view text, Options& o) { return assign(o.report, std::optional(std::string(text))); },
     [](const Options& o) { return o.report; }},
}};

// ---- names ----

/// Minimum number of characters to insert, delete or change that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
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

Status unknown_option(std::string_view name) {
  constexpr std::size_t kMaxTypos = 3;
  const std::string_view shown = name.substr(0, 64);
  std::string known, guess;
  std::size_t best = kMaxTypos + 1;
  for (const OptionRow& row : kOptions) {
    known += (known.empty() ? "" : ", ") + std::string(row.name);
    const std::size_t distance = edit_distance(shown, row.name);
    if (distance < best) best = distance, guess = "; did you mean '" + std::string(row.name) + "'?";
  }
  return error(Code::kInvalidArgument, "unknown option '{}'{} (options: {})", excerpt(shown), guess, known);
}

const OptionRow* find_option(std::string_view name) {
  const auto row =
      std::find_if(kOptions.begin(), kOptions.end(), [&](const OptionRow& r) { return r.name == name; });
  return row == kOptions.end() ? nullptr : &*row;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// ---- sources ----

/// A TOML value as the text that set() accepts.
std::optional<std::string> toml_text(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto truth = node.value_exact<bool>()) return print_bool(*truth);
  return std::nullopt;
}

/// A file that the user named may set every option. A file found in the current directory may come from
/// anyone: it may tune, but must not cause files to be written elsewhere, or existing ones to be replaced.
enum class FoundAs { kNamed, kInDirectory };

Status check_may_set(std::string_view key, FoundAs found, const Options& options) {
  const bool names_a_file = key == "report" && !options.report.empty() && options.report != "none";
  const bool overwrites = key == "overwrite" && options.overwrite;
  if (found == FoundAs::kNamed || (!names_a_file && !overwrites)) return {};
  return error(Code::kInvalidArgument,
               "option '{}': a file that is found in the current directory may not {}; set {} in the program or "
               "as ESKER_{}, or name this file in ESKER_CONFIG",
               key, names_a_file ? "name files to write" : "allow overwriting", key, upper(key));
}

Status apply_toml_key(std::string_view key, const toml::node& node, const std::string& path, FoundAs found,
                      Options& options) {
  const auto set = [&]() -> Status {
    if (!find_option(key)) return unknown_option(key);
    const std::optional<std::string> text = toml_text(node);
    if (!text) {
      return error(Code::kInvalidArgument, "option '{}': expected a text, an integer or a boolean", key);
    }
    ESKER_RETURN_IF_ERROR(options.set(std::string(key), *text, path));
    return check_may_set(key, found, options);
  };
  return set().with_context(fmt::format("{}:{}", path, node.source().begin.line));
}

Status apply_file(const std::string& path, FoundAs found, Options& options) {
  constexpr std::uintmax_t kMaxFileBytes = 1 << 20;
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(path, failure);
  if (failure) return system_error(failure.value(), "read configuration", path);
  if (bytes > kMaxFileBytes) {
    return error(Code::kInvalidArgument, "{}: {} bytes, expected a configuration of at most {}", path, bytes,
                 kMaxFileBytes);
  }
  try {
    const toml::table table = toml::parse_file(path);
    for (const auto& [key, node] : table) {
      ESKER_RETURN_IF_ERROR(apply_toml_key(key.str(), node, path, found, options));
    }
    return {};
  } catch (const toml::parse_error& e) {
    return error(Code::kInvalidArgument, "{}:{}: {}", path, e.source().begin.line, e.description());
  } catch (const std::exception& e) {
    return error(Code::kIoError, "read configuration {}: {}", path, e.what());
  }
}

Status apply_files(Options& options) {
  const char* named = std::getenv("ESKER_CONFIG");
  if (named && *named) {
    return apply_file(named, FoundAs::kNamed, options).with_context("ESKER_CONFIG");
  }
  std::error_code failure;
  const std::string in_directory = "esker.toml";
  return std::filesystem::exists(in_directory, failure)
             ? apply_file(in_directory, FoundAs::kInDirectory, options)
             : Status();
}

Status apply_variable(std::string_view variable, const std::string& value, Options& options) {
  constexpr std::string_view kPrefix = "ESKER_";
  const std::string name = lower(variable.substr(kPrefix.size()));
  const bool known = find_option(name) && kPrefix.size() + name.size() == variable.size() &&
                     std::string(kPrefix) + upper(name) == variable;
  if (!known) return unknown_option(name).with_context("environment variable " + excerpt(variable));
  return options.set(name, value, std::string(variable))
      .with_context("environment variable " + excerpt(variable));
}

Status apply_environment(Options& options) {
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string_view variable = text.substr(0, equals);
    if (!variable.starts_with("ESKER_") || variable.starts_with("ESKER_TEST_") ||
        variable == "ESKER_CONFIG") {
      continue;
    }
    const std::string value(text.substr(std::min(equals + 1, text.size())));
    ESKER_RETURN_IF_ERROR(apply_variable(variable, value, options));
  }
  return {};
}

}  // namespace

std::string_view name(WritePattern pattern) { return kPatternNames[static_cast<std::size_t>(pattern)]; }

Status Options::set(const std::string& name, const std::string& value, const std::string& source) {
  const OptionRow* row = find_option(name);
  if (!row) return unknown_option(name);
  if (!row->parse(trim(value), *this)) {
    return error(Code::kInvalidArgument, "option '{}': expected {}, found '{}'", name, row->takes,
                 excerpt(value));
  }
  sources_[name] = source;
  return {};
}

Result<Options> Options::load() {
  Options options;
  ESKER_RETURN_IF_ERROR(apply_files(options));
  ESKER_RETURN_IF_ERROR(apply_environment(options));
  return options;
}

std::vector<Options::Entry> Options::entries() const {
  const Options built_in;
  std::vector<Entry> entries;
  for (const OptionRow& row : kOptions) {
    const auto source = sources_.find(std::string(row.name));
    const std::string value = row.print(*this);
    // Members may also be set directly, which leaves no source.
    const char* unset = value == row.print(built_in) ? "built-in" : "program";
    entries.push_back({std::string(row.name), value, source == sources_.end() ? unset : source->second,
                       fmt::format("{}; takes {}", row.help, row.takes)});
  }
  return entries;
}

}  // namespace esker
