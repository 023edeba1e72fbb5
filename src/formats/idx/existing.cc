// texts = catalog or "", schema, *(name of a part, its .idx)
#include "formats/idx/existing.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "base/macros.h"
#include "format/schema_json.h"
#include "formats/idx/catalog.h"
#include "formats/idx/commit_record.h"
#include "formats/idx/creation.h"
#include "formats/idx/record_sum.h"
#include "store/commit.h"

namespace esker::idx {
namespace {

/// One .idx as found.
struct Found {
  std::string text;
  Header header;
  CommitRecord record;
  Index num_steps = 0;
};

Result<Found> parse_found(const std::string& name, const std::string& text) {
  Found found{text, {}, {}, 0};
  ESKER_ASSIGN_OR_RETURN(found.header, parse_header(text, name));
  const std::string* json = found.header.find_other(kRecordKey);
  if (!json) return error(Code::kUnsupported, "written by another program: Esker cannot append to it");
  ESKER_ASSIGN_OR_RETURN(found.record, parse_commit_record(*json));
  ESKER_RETURN_IF_ERROR(check_record_sum(found.header, found.record));
  if (!found.header.time) return found;
  ESKER_ASSIGN_OR_RETURN(const auto times, found.header.time->list(kMaxSteps));
  found.num_steps = static_cast<Index>(times.size());
  const bool counted = times.empty() || (times.front() == 0 && times.back() == found.num_steps - 1);
  if (!counted || found.num_steps != static_cast<Index>(found.record.times.size())) {
    return error(Code::kDataLoss, "(time) does not list the {} steps of (esker)", found.record.times.size());
  }
  return found;
}

PartOptions options_of(const Found& found, Options options) {
  options.bits_per_block = found.header.bits_per_block;
  options.blocks_per_file = found.header.blocks_per_file;
  options.in_block = found.header.fields.front().order;
  options.split = !found.record.split.empty();
  options.alignment_bytes = found.record.alignment_bytes;
  options.checksums = found.record.checksums;
  return {std::move(options), found.header.block_mask(), found.header.brick_digits};
}

/// Programs that save a header print fewer digits here; these values do not affect where samples are.
void forget_display(Header& header) {
  header.physic_box.clear();
  header.logic_to_physic.clear();
  for (FieldEntry& field : header.fields) field.min.clear(), field.max.clear(), field.description.clear();
}

/// Whether the .idx is what this Esker makes of the schema, apart from its steps and display properties.
Status check_same(const Part& part, const Found& found) {
  ESKER_ASSIGN_OR_RETURN(Header made, parse_header(print_header(part.header), part.name));
  Header stored = found.header;
  if (stored.time && stored.time->path_template == kTimeTemplate) stored.time = made.time;
  stored.other.clear();
  forget_display(made);
  forget_display(stored);
  if (stored == made) return {};
  return error(Code::kUnsupported,
               "{} differs from what this version of Esker writes for the schema file, so it cannot append",
               part.idx_path);
}

/// A record that was truncated or edited is not mistaken for an unfinished commit.
Status check_generation(const std::string& path, Index generation, std::size_t num_steps) {
  if (generation == static_cast<Index>(num_steps) + 1) return {};
  return error(Code::kDataLoss, "{}: generation {} does not match {} steps", path, generation, num_steps);
}

Status check_steps(const Part& part, const Found& found, const std::vector<double>& times) {
  if (part.fixed) return {};
  const auto& listed = found.record.times;
  ESKER_RETURN_IF_ERROR(check_generation(part.idx_path, found.record.generation, listed.size()));
  if (listed.size() < times.size() || !std::equal(times.begin(), times.end(), listed.begin())) {
    return error(Code::kDataLoss, "{} lists {} steps, which do not match the {} steps of the dataset",
                 part.idx_path, listed.size(), times.size());
  }
  return {};
}

/// The masks of the grids whose partitions are stored separately, by name_of_whole().
std::map<std::string, Bitmask> masks_of_wholes(const Catalog& catalog) {
  std::map<std::string, Bitmask> masks;
  for (const CatalogPart& part : catalog.parts) {
    if (part.place) masks.emplace(name_of_whole(part.grid, part.fixed), part.place->mask);
  }
  return masks;
}

/// Whether a part is where the catalog and its own record say.
Status check_place(const Part& part, const Found& found) {
  if (found.record.corner == corner_of(part)) return {};
  return error(Code::kDataLoss, "{}: its record names another place in the grid than {} does", part.idx_path,
               kCatalogName);
}

/// Whether the catalog lists the partitions that the schema and its options make.
Status check_places(const DatasetPaths& paths, const Catalog& catalog, const std::vector<Part>& parts) {
  const auto is_same = [](const CatalogPart& listed, const Part& part) {
    if (listed.name != part.name || listed.place.has_value() != part.place.has_value()) return false;
    return !part.place ||
           (listed.place->box == part.place->box && listed.place->partition == part.place->own.partition);
  };
  const bool has_places =
      std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.place.has_value(); });
  if (!has_places ||
      std::equal(catalog.parts.begin(), catalog.parts.end(), parts.begin(), parts.end(), is_same))
    return {};
  return error(Code::kDataLoss, "{}: its partitions differ from those of the schema file", paths.catalog());
}

void mark_present(const Part& part, const Found& found, Existing& existing) {
  for (std::size_t step = 0; step < existing.times.size(); ++step) {
    if (part.fixed && step > 0) break;
    const auto absent = found.record.absent.find(static_cast<Index>(step));
    for (std::size_t c = 0; c < part.columns.size(); ++c) {
      const bool is_absent = absent != found.record.absent.end() &&
                             std::find(absent->second.begin(), absent->second.end(),
                                       part.header.fields[c].name) != absent->second.end();
      existing.present[step][part.columns[c].field] = !is_absent;
    }
  }
}

/// The largest of all columns of a field.
void take_errors(const Part& part, const Found& found, Existing& existing) {
  for (std::size_t c = 0; c < part.columns.size(); ++c) {
    const auto errors = found.record.errors.find(part.header.fields[c].name);
    if (errors == found.record.errors.end()) continue;
    for (std::size_t step = 0; step < existing.times.size() && step < errors->second.size(); ++step) {
      float& largest = existing.max_errors[step][part.columns[c].field];
      largest = std::max(largest, static_cast<float>(errors->second[step]));
    }
  }
}

void take_sets(std::size_t part, const Found& found, Existing& existing) {
  for (const auto& [step, sum] : found.record.sets) {
    if (step < std::ssize(existing.times)) existing.set_sums[static_cast<std::size_t>(step)][part] = sum;
  }
}

}  // namespace

std::map<std::string, std::string> format_options_of(const Options& options) {
  static const std::set<std::string> kNames{"bits_per_block", "blocks_per_file", "alignment",
                                            "in_block",       "split",           "checksums"};
  std::map<std::string, std::string> texts;
  const bool is_global = options.partition_index == PartitionIndex::kGlobal;
  for (const Options::Entry& entry : options.entries()) {
    const bool is_of_bricks = entry.name == "partitions" || entry.name == "partition_index";
    if (kNames.contains(entry.name) || (!is_global && is_of_bricks)) texts[entry.name] = entry.value;
  }
  return texts;
}

namespace {

/// The path of the schema: its temporary name while the creation is unfinished.
Result<std::string> schema_path(Store& store, const DatasetPaths& paths, bool single) {
  ESKER_ASSIGN_OR_RETURN(const bool unfinished, is_unfinished(store, paths, single));
  const std::string path = paths.schema_of(single);
  return unfinished ? temporary_of(path) : path;
}

}  // namespace

Result<std::string> find_other_suffix(Store& store, const DatasetPaths& paths) {
  ESKER_ASSIGN_OR_RETURN(const bool has_catalog, store.exists(paths.catalog()));
  ESKER_ASSIGN_OR_RETURN(const std::string path, schema_path(store, paths, !has_catalog));
  const auto text = read_text(store, path, kMaxSidecarBytes);
  return text.ok() ? other_suffix_of(*text) : std::string();
}

Result<std::vector<std::string>> read_existing(Store& store, const DatasetPaths& paths) {
  std::vector<std::string> texts;
  const auto add = [&](const std::string& path, std::size_t max_bytes) -> Status {
    auto text = read_text(store, path, max_bytes);
    if (text.status().code() == Code::kNotFound) {
      return error(Code::kDataLoss, "{} is missing; appending needs it", path);
    }
    ESKER_RETURN_IF_ERROR(text.status());
    texts.push_back(std::move(*text));
    return {};
  };
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store.exists(paths.catalog()));
  ESKER_ASSIGN_OR_RETURN(const std::string schema, schema_path(store, paths, !is_directory));
  if (!is_directory) {
    ESKER_ASSIGN_OR_RETURN(const bool is_file, store.exists(paths.single_idx()));
    if (!is_file) {
      return error(Code::kNotFound, "no dataset to append to: neither {} nor {} exists", paths.single_idx(),
                   paths.catalog());
    }
    texts.emplace_back();
    ESKER_RETURN_IF_ERROR(add(schema, kMaxSidecarBytes));
    texts.push_back(std::filesystem::path(paths.stem).filename().string());
    ESKER_RETURN_IF_ERROR(add(paths.single_idx(), kMaxHeaderBytes));
    return texts;
  }
  ESKER_RETURN_IF_ERROR(add(paths.catalog(), kMaxSidecarBytes));
  auto catalog = parse_catalog(texts.front());
  if (!catalog.ok()) return catalog.status().with_context(paths.catalog());
  ESKER_RETURN_IF_ERROR(add(schema, kMaxSidecarBytes));
  if (schema != paths.schema()) return texts;  // other parts are the replaced dataset's
  for (const CatalogPart& part : catalog->parts) {
    const std::string idx_path = paths.directory() + "/" + part.name + ".idx";
    ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(idx_path));
    if (!exists) continue;
    texts.push_back(part.name);
    ESKER_RETURN_IF_ERROR(add(idx_path, kMaxHeaderBytes));
  }
  return texts;
}

namespace {

/// By name of the part.
Result<std::map<std::string, Found>> parse_all_found(const std::vector<std::string>& texts) {
  std::map<std::string, Found> found;
  for (std::size_t t = 2; t + 1 < texts.size(); t += 2) {
    auto idx = parse_found(texts[t], texts[t + 1]);
    if (!idx.ok()) return idx.status().with_context(texts[t] + ".idx");
    found[texts[t]] = std::move(*idx);
  }
  return found;
}

/// The given options, with those of the format that the dataset was created with.
Result<Options> options_of_dataset(const DatasetPaths& paths, const Existing& existing, Options options) {
  if (options.partition_index == PartitionIndex::kLocal) options.partition_index = PartitionIndex::kGlobal;
  for (const auto& [name, value] : existing.format_options) {
    const Status set = options.set(name, value, "dataset");
    if (!set.ok()) return error(Code::kDataLoss, "{}: {}", paths.catalog(), set.message());
  }
  const bool is_local = options.partition_index == PartitionIndex::kLocal;
  if (!is_local || options.partitions.unit == Partitions::Unit::kPartitions) return options;
  return error(Code::kDataLoss, "{}: 'partitions': expected a number", paths.catalog());
}

}  // namespace

Result<Existing> parse_existing(const DatasetPaths& paths, const std::vector<std::string>& texts,
                                const Options& given) {
  Existing existing;
  existing.catalog_text = texts.at(0);
  auto schema = parse_schema(texts.at(1));
  if (!schema.ok()) return schema.status().with_context("schema of " + paths.stem);
  existing.schema = std::move(*schema);
  ESKER_ASSIGN_OR_RETURN(const auto found, parse_all_found(texts));
  Catalog catalog;
  if (existing.catalog_text.empty() && !found.empty()) {
    existing.times = found.begin()->second.record.times;
  } else {
    ESKER_ASSIGN_OR_RETURN(catalog, parse_catalog(existing.catalog_text));
    ESKER_RETURN_IF_ERROR(check_generation(paths.catalog(), catalog.generation, catalog.times.size()));
    existing.times = catalog.times;
    existing.format_options = catalog.options;
  }
  ESKER_ASSIGN_OR_RETURN(const Options options, options_of_dataset(paths, existing, given));
  const std::map<std::string, Bitmask> masks = masks_of_wholes(catalog);
  ESKER_ASSIGN_OR_RETURN(existing.parts, make_parts(paths, existing.schema, [&](const std::string& name) {
                           const auto entry = found.find(name);
                           if (entry != found.end()) return options_of(entry->second, options);
                           const auto mask = masks.find(name);
                           if (mask == masks.end()) return PartOptions{options, {}};
                           return PartOptions{options, mask->second};
                         }));
  ESKER_RETURN_IF_ERROR(check_places(paths, catalog, existing.parts));
  existing.present.assign(existing.times.size(), std::vector<bool>(existing.schema.fields().size()));
  existing.max_errors.assign(existing.times.size(), std::vector<float>(existing.schema.fields().size()));
  existing.set_sums.assign(existing.times.size(),
                           std::vector<std::optional<std::uint64_t>>(existing.parts.size()));
  for (std::size_t p = 0; p < existing.parts.size(); ++p) {
    const Part& part = existing.parts[p];
    const auto entry = found.find(part.name);
    if (entry == found.end()) {
      if (!existing.times.empty()) return error(Code::kDataLoss, "{} is missing", part.idx_path);
      existing.idx.emplace_back();
      continue;
    }
    ESKER_RETURN_IF_ERROR(check_blocks_directory(entry->second.header, part.idx_path));
    ESKER_RETURN_IF_ERROR(check_same(part, entry->second));
    ESKER_RETURN_IF_ERROR(check_place(part, entry->second));
    ESKER_RETURN_IF_ERROR(check_steps(part, entry->second, existing.times));
    mark_present(part, entry->second, existing);
    take_errors(part, entry->second, existing);
    take_sets(p, entry->second, existing);
    existing.num_merged = std::max(existing.num_merged, entry->second.record.merged);
    existing.idx.push_back({entry->second.text, entry->second.num_steps});
  }
  const bool single = is_single(existing.schema, existing.parts);
  if (found.size() > existing.parts.size() || single != existing.catalog_text.empty()) {
    return error(Code::kDataLoss, "the files of {} do not match its schema file", paths.stem);
  }
  return existing;
}

}  // namespace esker::idx
