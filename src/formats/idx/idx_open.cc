// How an IDX dataset is opened: which files it has, and what they say of its schema.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "codec/codec_spec.h"
#include "format/foreign_names.h"
#include "format/schema_json.h"
#include "formats/idx/catalog.h"
#include "formats/idx/field_errors.h"
#include "formats/idx/idx_dataset.h"
#include "formats/idx/joined_parts.h"
#include "formats/idx/pidx_header.h"
#include "grid/points.h"
#include "layout/kept_fields.h"
#include "model/fill_value.h"
#include "model/mesh_arrays.h"
#include "model/patch_cover.h"
#include "read/gaps.h"
#include "store/commit.h"

namespace esker::idx {
namespace {

/// Position of the part's grid in the schema; added with its dimensions if missing.
Result<int> add_grid(const Header& header, const std::string& grid_name, Schema& schema) {
  static constexpr const char* kAxisNames[] = {"x", "y", "z", "u", "v"};
  std::istringstream named(header.axis);
  std::vector<DimId> dims;
  for (int a = 0; a < header.box.rank; ++a) {
    std::string name;
    name = named >> name ? schema_name(name) : kAxisNames[a];
    const Dimension* same = schema.find_dim(name);
    const auto position = same ? static_cast<int>(same - schema.dims().data()) : -1;
    const bool is_taken = std::any_of(dims.begin(), dims.end(), [&](DimId d) { return d.index == position; });
    if (same && same->size == header.box.extent(a) && !is_taken) {
      dims.push_back({position});
      continue;
    }
    auto added = schema.add_dim(name, header.box.extent(a));
    if (!added.ok()) added = schema.add_dim(grid_name + "_" + kAxisNames[a], header.box.extent(a));
    ESKER_RETURN_IF_ERROR(added.status());
    dims.push_back(*added);
  }
  const Grid* known = schema.find_grid(grid_name);
  if (known) return static_cast<int>(known - schema.grids().data());
  ESKER_ASSIGN_OR_RETURN(const GridId added, schema.add_grid(grid_name, dims));
  return added.index;
}

/// The fields of a header by name of the field that they are, or are columns of; in the order of the header.
struct NamedColumns {
  std::string name;
  std::vector<int> columns;
};

Result<std::vector<NamedColumns>> join_columns(const IdxPart& part) {
  const Header& header = part.header();
  std::map<std::string, std::string> whole_of;
  if (part.record()) whole_of = fields_of_columns(*part.record());
  std::vector<NamedColumns> joined;
  for (std::size_t f = 0; f < header.fields.size(); ++f) {
    const FieldEntry& entry = header.fields[f];
    const auto whole = whole_of.find(entry.name);
    const bool continues = whole != whole_of.end() && !joined.empty() && joined.back().name == whole->second;
    if (!continues) {
      joined.push_back({whole == whole_of.end() ? entry.name : whole->second, {}});
    } else if (const FieldEntry& first = header.fields[joined.back().columns.front()];
               first.type != entry.type || first.stored_bits != entry.stored_bits) {
      return error(Code::kDataLoss, "{}: the columns of field '{}' have different types or stored_bits",
                   part.idx_path(), excerpt(whole->second));
    }
    joined.back().columns.push_back(static_cast<int>(f));
  }
  return joined;
}

/// As the option `compression`; empty if the field is raw, or compressed in a way that Esker does not write.
std::string compression_of(const FieldEntry& field) {
  const auto codec = parse_codec_spec(field.compression);
  if (!codec.ok() || codec->kind == CodecKind::kRaw) return "";
  const std::string text = option_text(*codec);
  return parse_compression_option(text).ok() ? text : "";
}

/// Adds the grid and fields of a part's header to the schema: what is known without a schema file.
Status add_header(const IdxPart& part, int part_number, const std::string& grid_name, bool fixed,
                  IdxDataset& dataset) {
  ESKER_ASSIGN_OR_RETURN(const int grid, add_grid(part.header(), grid_name, dataset.schema));
  ESKER_ASSIGN_OR_RETURN(auto joined, join_columns(part));
  std::map<std::string, int> next_number;
  const auto is_taken = [&](const std::string& name) { return dataset.schema.find_field(name) != nullptr; };
  for (NamedColumns& named : joined) {
    Field field;
    field.name = new_name(schema_name(named.name), is_taken, next_number);
    field.grid = grid;
    field.type = part.header().fields[named.columns.front()].type;
    field.components = 0;
    for (const int column : named.columns) field.components += part.header().fields[column].components;
    field.fixed = fixed;
    field.compression = compression_of(part.header().fields[named.columns.front()]);
    field.stored_bits = part.header().fields[named.columns.front()].stored_bits;
    ESKER_RETURN_IF_ERROR(dataset.schema.add_field(std::move(field)).status());
    dataset.places.push_back({part_number, std::move(named.columns), fixed});
  }
  return {};
}

/// Places of the fields of a schema file among those of the headers; nothing if the two describe different
/// grids or fields. Before the first step a field may have no place.
std::optional<std::vector<IdxDataset::Place>> match(const Schema& from_file, const IdxDataset& dataset) {
  const Schema& from_headers = dataset.schema;
  std::vector<IdxDataset::Place> places;
  std::size_t matched = 0;
  for (const Field& field : from_file.fields()) {
    const Field* same = from_headers.find_field(field.name);
    if (!same) {
      if (!dataset.times.empty()) return std::nullopt;
      places.push_back({-1, {}, field.fixed});
      continue;
    }
    if (same->type != field.type || same->components != field.components || same->fixed != field.fixed ||
        same->stored_bits != field.stored_bits ||
        !(from_file.box_of(from_file.grids()[field.grid]) ==
          from_headers.box_of(from_headers.grids()[same->grid]))) {
      return std::nullopt;
    }
    places.push_back(dataset.places[static_cast<std::size_t>(same - from_headers.fields().data())]);
    ++matched;
  }
  if (matched != from_headers.fields().size()) return std::nullopt;
  return places;
}

/// Whether the .idx is a part of a dataset of several, opened on its own.
bool is_part_of_several(const Store& store, const DatasetPaths& paths) {
  const auto exists = store.exists((std::filesystem::path(paths.stem).parent_path() / kCatalogName).string());
  return exists.ok() && *exists;
}

/// Esker writes a schema file with each dataset; without the file its information would be lost silently.
void warn_without_schema(const Store& store, const std::string& path, IdxDataset& dataset) {
  const bool ours = std::any_of(dataset.parts.begin(), dataset.parts.end(),
                                [](const auto& part) { return part->is_ours(); });
  if (!ours || (dataset.single && is_part_of_several(store, dataset.paths))) return;
  dataset.warnings.push_back(path +
                             ": missing, so units, coordinates and attributes are unknown; the file belongs "
                             "to the dataset: copy it too");
}

/// If a run died while it created the dataset, the schema is complete, but under its temporary name.
bool read_staged_schema(Store& store, const std::string& path, IdxDataset& dataset) {
  if (!dataset.times.empty()) return false;
  const auto text = read_text(store, temporary_of(path), kMaxSidecarBytes);
  auto schema = text.ok() ? parse_schema(*text) : Result<Schema>(text.status());
  auto places = schema.ok() ? match(*schema, dataset) : std::nullopt;
  if (!places) return false;
  dataset.schema = std::move(*schema);
  dataset.places = std::move(*places);
  return true;
}

/// Takes attributes, coordinates and the order of the fields from the schema file, if it fits the headers.
/// Returns whether a file of Esker's form exists.
bool read_schema(Store& store, const std::string& path, IdxDataset& dataset) {
  if (read_staged_schema(store, path, dataset)) return true;
  const auto exists = store.exists(path);
  if (!exists.ok()) return false;
  if (!*exists) {
    warn_without_schema(store, path, dataset);
    return false;
  }
  const auto text = read_text(store, path, kMaxSidecarBytes);
  auto schema = text.ok() ? parse_schema(*text) : Result<Schema>(text.status());
  if (const Status arrays = schema.ok() ? check_mesh_arrays(*schema) : Status(); !arrays.ok())
    schema = arrays;
  if (!schema.ok()) {
    dataset.warnings.push_back(path + ": " + schema.status().message());
    return false;
  }
  auto places = match(*schema, dataset);
  if (!places) {
    dataset.warnings.push_back(path + ": does not match the .idx headers and is not used");
    return true;
  }
  dataset.schema = std::move(*schema);
  dataset.places = std::move(*places);
  return true;
}

/// A truncated Esker .idx would look like that of another program, with other times; the files around it show
/// the difference.
Status check_record_is_there(const IdxPart& part) {
  if (part.is_ours()) return {};
  return error(
      Code::kDataLoss,
      "{}: Esker's record, the line (esker), is missing: the file was truncated or edited; `esker repair "
      "--rebuild` restores it (if another program wrote the file, remove Esker's schema file next to it)",
      part.idx_path());
}

/// The catalog and the records must contain the same times; otherwise one is damaged.
Status check_times(const IdxPart& part, const std::vector<double>& times) {
  const std::vector<double>& listed = part.record()->times;
  if (listed.size() >= times.size() && std::equal(times.begin(), times.end(), listed.begin())) return {};
  return error(Code::kDataLoss, "{}: the time values differ from those of {}", part.idx_path(), kCatalogName);
}

Status add_part(IdxDataset& dataset, std::unique_ptr<IdxPart> part, const CatalogPart& named,
                Index num_steps) {
  const Header& header = part->header();
  const std::size_t first_field = dataset.schema.fields().size();
  const Status added =
      add_header(*part, static_cast<int>(dataset.parts.size()), named.grid, named.fixed, dataset);
  if (!added.ok()) return error(Code::kDataLoss, "{}: {}", part->idx_path(), added.message());
  if (named.fixed && part->times().size() != 1) {
    return error(Code::kDataLoss, "{}: (time) lists {} steps, expected one for fixed fields",
                 part->idx_path(), part->times().size());
  }
  PartInfo info{named.name,
                part->idx_path(),
                {},
                header.box,
                header.bitmask.to_string(),
                header.bits_per_block + header.levels_inside(),
                header.blocks_per_file,
                part->num_blocks(),
                num_steps};
  info.has_checksums = part->record() && part->record()->checksums;
  info.hybrid_bricks = header.brick_digits > 0 ? Index{1} << header.brick_digits : 0;
  for (std::size_t f = first_field; f < dataset.schema.fields().size(); ++f) {
    info.fields.push_back(dataset.schema.fields()[f].name);
  }
  dataset.infos.push_back(std::move(info));
  dataset.parts.push_back(std::move(part));
  return {};
}

/// The .idx that `path` names. For a symbolic link: the first path in the chain of links that has the name of
/// its blocks, and has these or a schema file next to it; otherwise `path` itself.
Result<std::string> follow_links(const Store& store, const std::string& path, const std::string& blocks) {
  constexpr int kMostLinks = 40;
  std::string here = path;
  for (int n = 0; n < kMostLinks; ++n) {
    ESKER_ASSIGN_OR_RETURN(std::string next, store.follow_link(here));
    if (n == 0 && next == here) return path;
    const DatasetPaths paths{dataset_stem(here)};
    if (std::filesystem::path(paths.stem).filename() == blocks) {
      ESKER_ASSIGN_OR_RETURN(const bool has_blocks, store.exists(paths.directory()));
      ESKER_ASSIGN_OR_RETURN(const bool has_schema, store.exists(paths.single_schema()));
      if (has_blocks || has_schema) return here;
    }
    if (next == here) break;
    here = std::move(next);
  }
  return path;
}

Result<IdxDataset> open_single(const std::shared_ptr<Store>& store, const std::string& path) {
  IdxDataset dataset;
  dataset.store = store;
  ESKER_ASSIGN_OR_RETURN(auto part, IdxPart::open(store, path));
  std::string idx_path = path;
  if (part->is_ours()) {
    ESKER_ASSIGN_OR_RETURN(idx_path, follow_links(*store, path, blocks_directory(part->header())));
    if (idx_path != path) {
      ESKER_ASSIGN_OR_RETURN(part, IdxPart::open(store, idx_path));
    }
    ESKER_RETURN_IF_ERROR(check_blocks_directory(part->header(), idx_path));
  }
  const auto& times = part->times();
  if (part->record() && part->header().time) {
    dataset.times = part->record()->times;
    if (dataset.times.size() != times.size()) {
      return error(Code::kDataLoss, "{}: (time) lists {} steps, but (esker) lists {}", idx_path, times.size(),
                   dataset.times.size());
    }
  } else {
    dataset.times.assign(times.begin(), times.end());
  }
  const std::string stem = dataset_stem(idx_path);
  dataset.paths = {stem};
  const std::string name = std::filesystem::path(stem).filename().string();
  ESKER_RETURN_IF_ERROR(
      add_part(dataset, std::move(part), {name, "grid", false}, static_cast<Index>(dataset.times.size())));
  if (read_schema(*store, dataset.paths.single_schema(), dataset)) {
    ESKER_RETURN_IF_ERROR(check_record_is_there(*dataset.parts.front()));
  }
  return dataset;
}

/// Opens one .idx of a directory, and checks that it has the steps of the catalog. Null: it is written with
/// the first step.
Result<std::unique_ptr<IdxPart>> open_listed(const std::shared_ptr<Store>& store, const DatasetPaths& paths,
                                             const CatalogPart& named, const std::vector<double>& times) {
  const auto num_steps = static_cast<Index>(times.size());
  const std::string idx_path = paths.directory() + "/" + named.name + ".idx";
  if (num_steps == 0) {  // fixed fields are written with the first step, and a run may have died before it
    ESKER_ASSIGN_OR_RETURN(const bool exists, store->exists(idx_path));
    if (named.fixed || !exists) return std::unique_ptr<IdxPart>();
  }
  auto opened = IdxPart::open(store, idx_path);
  if (opened.status().code() == Code::kNotFound) {
    return error(Code::kDataLoss, "{} is missing, but {} lists it", idx_path, paths.catalog());
  }
  ESKER_RETURN_IF_ERROR(opened.status());
  const IdxPart& part = **opened;
  ESKER_RETURN_IF_ERROR(check_record_is_there(part));
  if (named.place) ESKER_RETURN_IF_ERROR(check_blocks_directory(part.header(), idx_path));
  if (!named.fixed && static_cast<Index>(part.times().size()) < num_steps) {
    return error(Code::kDataLoss, "{} has {} steps, but {} lists {}", part.idx_path(), part.times().size(),
                 paths.catalog(), num_steps);
  }
  if (!named.fixed) ESKER_RETURN_IF_ERROR(check_times(part, times));
  return opened;
}

/// Parts of a grid whose partitions are stored separately.
struct PartsOfGrid {
  std::vector<const CatalogPart*> named;
  std::vector<JoinedPart> parts;
};

/// The partitions of a grid as one part, unless some are written with the first step.
Status add_joined(IdxDataset& dataset, PartsOfGrid&& of_grid, Index num_steps, Index num_partitions) {
  const CatalogPart& first = *of_grid.named.front();
  if (of_grid.parts.size() < of_grid.named.size()) return {};
  for (const JoinedPart& joined : of_grid.parts) {
    if (!first.fixed || joined.part->times().size() == 1) continue;
    return error(Code::kDataLoss, "{}: (time) lists {} steps, expected one for fixed fields",
                 joined.part->idx_path(), joined.part->times().size());
  }
  const std::string name = name_of_whole(first.grid, first.fixed);
  const std::string path = dataset.paths.directory() + "/" + name + ".midx";
  ESKER_ASSIGN_OR_RETURN(auto whole,
                         join_parts(dataset.store, path, of_grid.named, std::move(of_grid.parts)));
  ESKER_RETURN_IF_ERROR(
      add_part(dataset, std::move(whole), {name, first.grid, first.fixed, {}}, first.fixed ? 1 : num_steps));
  dataset.infos.back().local_partitions = num_partitions;
  return {};
}

/// Of the options in the catalog; the number of partitions with samples is less if some have none.
Index num_partitions_of(const Catalog& catalog) {
  const auto given = catalog.options.find("partitions");
  const auto number = given == catalog.options.end() ? std::nullopt : parse_integer(given->second);
  Index most = number.value_or(0);
  for (const CatalogPart& part : catalog.parts) {
    if (part.place) most = std::max<Index>(most, part.place->partition + 1);
  }
  return most;
}

Result<IdxDataset> open_directory(const std::shared_ptr<Store>& store, const DatasetPaths& paths) {
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(*store, paths.catalog(), kMaxSidecarBytes));
  auto catalog = parse_catalog(text);
  if (!catalog.ok()) return catalog.status().with_context(paths.catalog());
  IdxDataset dataset;
  dataset.store = store;
  dataset.times = catalog->times;
  dataset.paths = paths;
  dataset.single = false;
  const auto num_steps = static_cast<Index>(dataset.times.size());
  std::map<std::string, PartsOfGrid> divided;
  for (const CatalogPart& named : catalog->parts) {
    ESKER_ASSIGN_OR_RETURN(auto part, open_listed(store, paths, named, dataset.times));
    if (named.place) {
      PartsOfGrid& of_grid = divided[name_of_whole(named.grid, named.fixed)];
      of_grid.named.push_back(&named);
      if (!part) continue;
      auto placed = place_part(std::move(part), named);
      if (!placed.ok() && num_steps == 0) continue;  // of a replaced dataset, see creation.h
      ESKER_RETURN_IF_ERROR(placed.status());
      of_grid.parts.push_back(std::move(*placed));
    } else if (part) {
      ESKER_RETURN_IF_ERROR(add_part(dataset, std::move(part), named, named.fixed ? 1 : num_steps));
    }
  }
  for (auto& [name, of_grid] : divided) {
    ESKER_RETURN_IF_ERROR(add_joined(dataset, std::move(of_grid), num_steps, num_partitions_of(*catalog)));
  }
  (void)read_schema(*store, paths.schema(), dataset);
  return dataset;
}

}  // namespace

Result<IdxDataset> IdxDataset::open(const std::shared_ptr<Store>& store, const std::string& path) {
  const DatasetPaths paths{dataset_stem(path)};
  const auto exists = store->exists(paths.catalog());
  if (exists.ok() && *exists) return open_directory(store, paths);
  ESKER_ASSIGN_OR_RETURN(const bool is_file, store->exists(paths.single_idx()));
  if (is_file) return open_single(store, paths.single_idx());
  ESKER_RETURN_IF_ERROR(exists.status());  // object stores may refuse to tell that it does not exist
  return error(Code::kNotFound, "{}: no such dataset (looked for {} and {})", path, paths.single_idx(),
               paths.catalog());
}

}  // namespace esker::idx
