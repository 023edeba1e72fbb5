#include "format/idx/idx_writer.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/macros.h"
#include "format/idx/entries.h"
#include "layout/idx_layout.h"
#include "store/commit.h"

namespace esker::idx {
namespace {

constexpr std::string_view kRecordKey = "(esker)";

/// Whether that generation is on storage; yes when it cannot be told.
bool is_generation(const Result<Index>& found, Index generation) {
  return found.ok() ? *found == generation : found.status().code() != Code::kNotFound;
}

/// Names and headers of block files, for all parts.
class IdxStepLayouts final : public StepLayouts {
 public:
  IdxStepLayouts(const std::vector<Part>& parts, const std::vector<bool>& present) : parts_(parts) {
    place_of_field.resize(present.size());
    for (const Part& part : parts) add(part, present);
  }

  [[nodiscard]] std::string file_path(int layout, Index file, Index step) const override {
    return parts_[part_of_layout_[layout]].file_path(
        file * parts_[part_of_layout_[layout]].header.blocks_per_file, step);
  }

  [[nodiscard]] std::vector<std::byte> file_headers(int number, Index file) const override {
    const auto& layout = static_cast<const IdxLayout&>(*layouts[number]);
    const Part& part = parts_[part_of_layout_[number]];
    const Index per_file = part.header.blocks_per_file;
    const auto num_fields = static_cast<int>(part.fields.size());
    std::vector<BlockEntry> entries(static_cast<std::size_t>(per_file * num_fields));
    for (int field = 0; field < num_fields; ++field) {
      if (place_of_field[part.fields[field]].layout < 0) continue;
      for (Index block = layout.first_block(file); block < layout.end_block(file); ++block) {
        if (!layout.blocks().exists(block)) continue;
        const Piece piece = layout.piece_of(field, block);
        entries[static_cast<std::size_t>(entry_number(field, block, per_file))] = {
            piece.offset_bytes, piece.size_bytes, block_flags(InBlockOrder::kRowMajor, Codec::kRaw)};
      }
    }
    return encode_headers(entries);
  }

 private:
  void add(const Part& part, const std::vector<bool>& present) {
    std::vector<LayoutField> fields;
    bool any = false;
    for (std::size_t f = 0; f < part.fields.size(); ++f) {
      const bool is_present = present[part.fields[f]];
      fields.push_back({part.header.fields[f].sample_bytes(), is_present});
      if (is_present)
        place_of_field[part.fields[f]] = {static_cast<int>(layouts.size()), static_cast<int>(f)};
      any = any || is_present;
    }
    if (!any) return;
    const LayoutParameters parameters{
        part.header.blocks_per_file, part.alignment_bytes,
        headers_bytes(part.header.blocks_per_file, static_cast<Index>(fields.size()))};
    layouts.push_back(std::make_unique<IdxLayout>(part.blocks, std::move(fields), parameters));
    part_of_layout_.push_back(static_cast<std::size_t>(&part - parts_.data()));
  }

  const std::vector<Part>& parts_;  // of the IdxWriter, which outlives its layouts
  std::vector<std::size_t> part_of_layout_;
};

}  // namespace

IdxWriter::IdxWriter(std::shared_ptr<Store> store, const std::string& path, const Options& options)
    : store_(std::move(store)), paths_{dataset_stem(path)}, options_(options) {}

Status IdxWriter::check_target() {
  if (paths_.stem.find('%') != std::string::npos || paths_.stem.empty()) {
    return error(Code::kInvalidArgument,
                 "dataset path '{}': '%' marks numbers in names of block files; choose another", paths_.stem);
  }
  const std::string parent = std::filesystem::path(paths_.stem).parent_path().string();
  if (!parent.empty()) ESKER_RETURN_IF_ERROR(store_->make_directories(parent));
  ESKER_ASSIGN_OR_RETURN(lock_, WriterLock::acquire(store_, paths_.lock()));
  for (const std::string& path : {paths_.single_idx(), paths_.directory()}) {
    ESKER_ASSIGN_OR_RETURN(const bool exists, store_->exists(path));
    replaces_existing_ = replaces_existing_ || exists;
    if (exists && !options_.overwrite) {
      return error(Code::kAlreadyExists, "{} exists; choose another path or set the option overwrite", path);
    }
  }
  return {};
}

Status IdxWriter::define(const Schema& schema) {
  schema_ = schema;
  ESKER_ASSIGN_OR_RETURN(parts_, make_parts(paths_, schema_, options_));
  on_storage_.assign(parts_.size(), {});
  return {};
}

// Only what Esker itself made is removed: an .idx with a commit record, a directory with a catalog. What
// tells so goes last, so that a run that dies in between can be followed by another.
Status IdxWriter::remove_replaced() {
  ESKER_ASSIGN_OR_RETURN(const bool has_idx, store_->exists(paths_.single_idx()));
  ESKER_ASSIGN_OR_RETURN(const bool has_directory, store_->exists(paths_.directory()));
  ESKER_ASSIGN_OR_RETURN(const bool has_catalog, store_->exists(paths_.catalog()));
  if (has_idx) {
    ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(*store_, paths_.single_idx(), kMaxHeaderBytes));
    if (text.find(kRecordKey) == std::string::npos) {
      return error(Code::kAlreadyExists, "{} was not written by Esker and is not overwritten",
                   paths_.single_idx());
    }
  } else if (has_directory && !has_catalog) {
    return error(Code::kAlreadyExists, "{} is not a dataset of Esker and is not overwritten",
                 paths_.directory());
  }
  ESKER_ASSIGN_OR_RETURN(const auto names, store_->list(paths_.directory()));
  for (const std::string& name : names) {
    const std::string path = paths_.directory() + "/" + name;
    if (path != paths_.catalog()) ESKER_RETURN_IF_ERROR(store_->remove_all(path));
  }
  ESKER_RETURN_IF_ERROR(store_->remove(paths_.catalog()));
  ESKER_RETURN_IF_ERROR(store_->remove_all(paths_.directory()));
  ESKER_RETURN_IF_ERROR(store_->remove(paths_.single_schema()));
  return store_->remove(paths_.single_idx());
}

Status IdxWriter::create(bool durable) {
  ESKER_RETURN_IF_ERROR(remove_replaced());
  on_storage_.assign(parts_.size(), {});
  catalog_ = {};
  const bool single = is_single(schema_);
  if (!single) ESKER_RETURN_IF_ERROR(write_catalog(durable));  // first: it says whose directory this is
  for (const Part& part : parts_) {
    if (!part.fixed) ESKER_RETURN_IF_ERROR(write_part(part, 0, durable));
  }
  const std::string schema_path = single ? paths_.single_schema() : paths_.schema();
  return replace_file(*store_, schema_path, print_schema(schema_), durable);
}

std::vector<std::string> IdxWriter::metadata_paths() const {
  std::vector<std::string> paths;
  for (const Part& part : parts_) {
    if (!part.fixed || !times_.empty()) paths.push_back(part.idx_path);
  }
  if (is_single(schema_)) {
    paths.push_back(paths_.single_schema());
  } else {
    paths.insert(paths.end(), {paths_.schema(), paths_.catalog()});
  }
  return paths;
}

std::unique_ptr<StepLayouts> IdxWriter::lay_out(const std::vector<bool>& present) const {
  return std::make_unique<IdxStepLayouts>(parts_, present);
}

CommitRecord IdxWriter::record_of(const Part& part, Index num_steps) const {
  CommitRecord record;
  if (part.fixed) return record;
  record.times.assign(times_.begin(), times_.begin() + num_steps);
  for (Index step = 0; step < num_steps; ++step) {
    for (const int f : part.fields) {
      if (!present_[static_cast<std::size_t>(step)][f])
        record.absent[step].push_back(schema_.fields()[f].name);
    }
  }
  return record;
}

Result<Index> IdxWriter::part_generation(const Part& part) const {
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(*store_, part.idx_path, kMaxHeaderBytes));
  ESKER_ASSIGN_OR_RETURN(const Header header, parse_header(text, part.name));
  const std::string* json = header.find_other(kRecordKey);
  if (!json) return error(Code::kDataLoss, "{} was replaced by another program", part.idx_path);
  ESKER_ASSIGN_OR_RETURN(const CommitRecord record, parse_commit_record(*json));
  return record.generation;
}

Result<Index> IdxWriter::catalog_generation() const {
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(*store_, paths_.catalog(), kMaxSidecarBytes));
  ESKER_ASSIGN_OR_RETURN(const Catalog catalog, parse_catalog(text));
  return catalog.generation;
}

Status IdxWriter::check_generation(const Part& part) const {
  const Index expected = state_of(part).generation;
  if (expected == 0) return {};
  ESKER_ASSIGN_OR_RETURN(const Index found, part_generation(part));
  if (found == expected) return {};
  return error(Code::kDataLoss, "{} has generation {}, expected {}: another writer changed it", part.idx_path,
               found, expected);
}

Status IdxWriter::write_part(const Part& part, Index num_steps, bool durable) {
  OnStorage& state = state_of(part);
  const OnStorage next{state.generation + 1, num_steps};
  Header header = part.header;
  if (!part.fixed) header.time = TimeSteps{kTimeTemplate, {{0, num_steps - 1, 1}}};
  CommitRecord record = record_of(part, num_steps);
  record.generation = next.generation;
  header.other.emplace_back(kRecordKey, print_commit_record(record));
  const Status status = replace_file(*store_, part.idx_path, print_header(header), durable);
  // A replacement that failed may still have happened, when only the directory could not be synced.
  if (status.ok() || is_generation(part_generation(part), next.generation)) state = next;
  return status;
}

Status IdxWriter::write_catalog(bool durable) {
  const OnStorage next{catalog_.generation + 1, static_cast<Index>(times_.size())};
  Catalog catalog;
  catalog.generation = next.generation;
  for (const Part& part : parts_) {
    catalog.parts.push_back({part.name, schema_.grids()[part.grid].name, part.fixed});
  }
  catalog.times = times_;
  const Status status = replace_file(*store_, paths_.catalog(), print_catalog(catalog), durable);
  if (status.ok() || is_generation(catalog_generation(), next.generation)) catalog_ = next;
  return status;
}

Status IdxWriter::commit(Index step, double time, const std::vector<bool>& present, bool durable) {
  for (const Part& part : parts_) ESKER_RETURN_IF_ERROR(check_generation(part));
  times_.resize(static_cast<std::size_t>(step));
  present_.resize(static_cast<std::size_t>(step));
  times_.push_back(time);
  present_.push_back(present);
  for (const Part& part : parts_) {
    if (!part.fixed || step == 0) ESKER_RETURN_IF_ERROR(write_part(part, step + 1, durable));
  }
  return is_single(schema_) ? Status() : write_catalog(durable);
}

// Only what lists more steps than it should is replaced, the catalog first: it is what readers believe.
Status IdxWriter::rewind(Index num_steps) {
  times_.resize(static_cast<std::size_t>(num_steps));
  present_.resize(static_cast<std::size_t>(num_steps));
  Status status;
  if (!is_single(schema_) && catalog_.num_steps > num_steps) status = write_catalog(false);
  for (const Part& part : parts_) {
    Status rewound;
    if (!part.fixed && state_of(part).num_steps > num_steps) {
      rewound = write_part(part, num_steps, false);
    } else if (part.fixed && num_steps == 0) {
      rewound = store_->remove(part.idx_path);
      state_of(part) = {};
    }
    if (status.ok()) status = rewound;
  }
  return status;
}

Status IdxWriter::release() {
  if (!lock_) return {};
  const Status status = lock_->release();
  lock_.reset();
  return status;
}

}  // namespace esker::idx
