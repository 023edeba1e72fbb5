#include "formats/idx/idx_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/idx/creation.h"
#include "formats/idx/field_errors.h"
#include "formats/idx/idx_choice.h"
#include "formats/idx/idx_step_layouts.h"
#include "formats/idx/leftovers.h"
#include "formats/idx/merge.h"
#include "formats/idx/midx.h"
#include "formats/idx/part_blocks.h"
#include "formats/idx/record_sum.h"
#include "store/checksum.h"
#include "store/commit.h"

namespace esker::idx {
namespace {

std::uint64_t sum_of(const std::string& text) { return checksum(std::as_bytes(std::span(text)), 0); }

}  // namespace

IdxWriter::IdxWriter(std::shared_ptr<Store> store, std::string stem, const Options& options,
                     std::shared_ptr<WriterLock> lock, std::string other_suffix)
    : store_(std::move(store)),
      paths_{std::move(stem)},
      options_(options),
      other_suffix_(std::move(other_suffix)),
      lock_(std::move(lock)) {}

Status IdxWriter::check_target() {
  if (paths_.stem.empty()) return {Code::kInvalidArgument, "the dataset's path is empty"};
  if (paths_.stem.find('%') != std::string::npos) {
    return error(Code::kInvalidArgument,
                 "dataset path '{}': '%' is not allowed, as it marks numbers in names of block files; choose "
                 "another path",
                 paths_.stem);
  }
  const std::string parent = std::filesystem::path(paths_.stem).parent_path().string();
  ESKER_RETURN_IF_ERROR(make_directories(*store_, parent, options_.fsync != Fsync::kNone));
  ESKER_RETURN_IF_ERROR(lock_->acquire_for(paths_.directory()));
  ESKER_RETURN_IF_ERROR(check_directory());
  for (const std::string& path : {paths_.single_idx(), paths_.directory()}) {
    ESKER_ASSIGN_OR_RETURN(bool exists, store_->exists(path));
    if (exists && path == paths_.directory()) {
      ESKER_ASSIGN_OR_RETURN(const bool is_begun, is_barely_begun(*store_, paths_));
      exists = !is_begun;
    }
    replaces_existing_ = replaces_existing_ || exists;
    if (exists && !options_.overwrite) {
      return error(Code::kAlreadyExists, "{} exists; choose another path or set the option overwrite", path);
    }
  }
  return replaces_existing_ ? check_replaceable() : Status();
}

/// Explains to a program `heat` that writes heat.idx next to itself why that is impossible.
Status IdxWriter::check_directory() const {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store_->exists(paths_.directory()));
  if (!exists) return {};
  ESKER_ASSIGN_OR_RETURN(const bool is_directory, store_->is_directory(paths_.directory()));
  if (is_directory) return {};
  return error(Code::kAlreadyExists,
               "{} is a file and is not overwritten; the dataset {} needs a directory of that name for its "
               "blocks: choose another name",
               paths_.directory(), paths_.single_idx());
}

void IdxWriter::forget_files() {
  idx_.clear();
  for (const Part& part : parts_) idx_.push_back({part.idx_path});
  catalog_ = {paths_.catalog()};
}

Status IdxWriter::define(const Schema& schema) {
  schema_ = schema;
  ESKER_RETURN_IF_ERROR(make_parts_of_schema());
  format_options_ = format_options_of(options_);
  forget_files();
  return {};
}

Status IdxWriter::make_parts_of_schema() {
  ESKER_ASSIGN_OR_RETURN(parts_, make_parts(paths_, schema_, [&](const std::string& name) {
                           PartOptions given{options_, {}};
                           const auto bits = block_bits_.find(name);
                           if (bits != block_bits_.end()) given.options.bits_per_block = bits->second;
                           return given;
                         }));
  return {};
}

const Part& IdxWriter::part_of(int field) const {
  return *std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
    return std::any_of(part.columns.begin(), part.columns.end(),
                       [&](const Column& column) { return column.field == field; });
  });
}

Status IdxWriter::check_sparse(int field) const {
  const Field& of = schema_.fields()[static_cast<std::size_t>(field)];
  const Part& part = part_of(field);
  if (part.header.brick_digits > 0 || part.place) {
    return error(Code::kUnsupported,
                 "field '{}' is stored with partition_index={}, whose blocks are always stored completely; "
                 "set partition_index=global",
                 of.name, part.place ? "local" : "hybrid");
  }
  if (of.stored_bits == 0) return {};
  return error(Code::kUnsupported, "field '{}' has stored_bits, whose blocks are always stored completely",
               of.name);
}

const BlockGrid* IdxWriter::blocks_of(int field) const { return &part_of(field).blocks; }

std::vector<int> IdxWriter::choices_of_block_bits(int field) const {
  std::vector<int> choices;
  if (options_.bits_per_block != 0 || is_created()) return choices;
  const Part& part = part_of(field);
  Index smallest = part.header.fields.front().sample_bytes();
  for (const FieldEntry& entry : part.header.fields) smallest = std::min(smallest, entry.sample_bytes());
  for (int bits = part.header.bits_per_block; bits >= 1; --bits) {
    if (!choices.empty() && smallest << bits < kMinBlockBytes) break;
    choices.push_back(bits);
  }
  return choices;
}

Status IdxWriter::set_block_bits(int field, int bits) {
  block_bits_[part_of(field).name] = bits;
  ESKER_RETURN_IF_ERROR(make_parts_of_schema());
  forget_files();
  return {};
}

Status IdxWriter::reset_block_bits() {
  block_bits_.clear();
  ESKER_RETURN_IF_ERROR(make_parts_of_schema());
  forget_files();
  return {};
}

Result<std::string> IdxWriter::read_existing() {
  ESKER_ASSIGN_OR_RETURN(const std::string target, store_->follow_link(paths_.single_idx()));
  if (target != paths_.single_idx()) {
    return error(Code::kInvalidArgument, "{} is a symbolic link; append to {} instead", paths_.single_idx(),
                 target);
  }
  ESKER_RETURN_IF_ERROR(lock_->acquire_for(paths_.directory()));
  ESKER_ASSIGN_OR_RETURN(const bool has_catalog, store_->exists(paths_.catalog()));
  ESKER_ASSIGN_OR_RETURN(const bool unfinished, is_unfinished(*store_, paths_, !has_catalog));
  const bool durable = options_.fsync != Fsync::kNone;
  if (unfinished) ESKER_RETURN_IF_ERROR(finish_creation(*store_, paths_, !has_catalog, durable));
  ESKER_RETURN_IF_ERROR(check_not_merging(*store_, paths_));
  ESKER_ASSIGN_OR_RETURN(const auto texts, esker::idx::read_existing(*store_, paths_));
  return pack_texts(texts);
}

Status IdxWriter::restore(const std::string& existing_texts) {
  ESKER_ASSIGN_OR_RETURN(Existing existing, parse_existing(paths_, unpack_texts(existing_texts), options_));
  ESKER_RETURN_IF_ERROR(check_not_partly_merged(existing.num_merged, paths_.stem));
  schema_ = std::move(existing.schema);
  parts_ = std::move(existing.parts);
  times_ = std::move(existing.times);
  present_ = std::move(existing.present);
  max_errors_ = std::move(existing.max_errors);
  set_sums_ = std::move(existing.set_sums);
  format_options_ = std::move(existing.format_options);
  forget_files();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Existing::Idx& idx = existing.idx[p];
    if (!idx.text.empty()) idx_[p] = {parts_[p].idx_path, sum_of(idx.text), idx.num_steps};
  }
  if (!existing.catalog_text.empty()) {
    catalog_.sum = sum_of(existing.catalog_text);
    catalog_.num_steps = static_cast<Index>(times_.size());
  }
  return {};
}

Status IdxWriter::reclaim(bool durable) {
  ESKER_RETURN_IF_ERROR(rewind(static_cast<Index>(times_.size()), durable));
  ESKER_ASSIGN_OR_RETURN(const auto leftovers,
                         find_leftovers(*store_, paths_, part_files(), static_cast<Index>(times_.size())));
  for (const std::string& path : leftovers) ESKER_RETURN_IF_ERROR(remove_leftover(*store_, path));
  return write_unions(durable);
}

// Only Esker datasets are removed, with all files in their directory: an .idx with a commit record, or a
// directory with a catalog (or one that a run had just begun to create).
Status IdxWriter::check_replaceable() const {
  ESKER_ASSIGN_OR_RETURN(const bool has_idx, store_->exists(paths_.single_idx()));
  ESKER_ASSIGN_OR_RETURN(const bool has_directory, store_->exists(paths_.directory()));
  ESKER_ASSIGN_OR_RETURN(const bool has_catalog, store_->exists(paths_.catalog()));
  if (has_idx) {
    ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(*store_, paths_.single_idx(), kMaxHeaderBytes));
    if (text.find(kRecordKey) != std::string::npos) return {};
    return error(Code::kAlreadyExists, "{} was not written by Esker and is not overwritten",
                 paths_.single_idx());
  }
  if (!has_directory || has_catalog) return {};
  ESKER_ASSIGN_OR_RETURN(const bool is_begun, is_barely_begun(*store_, paths_));
  if (is_begun) return {};
  return error(Code::kAlreadyExists, "{} is not an Esker dataset and is not overwritten", paths_.directory());
}

Status IdxWriter::create(bool durable) {
  ESKER_RETURN_IF_ERROR(check_replaceable());
  forget_files();
  const bool single = is_single();
  const std::string schema = print_schema(schema_, other_suffix_);
  ESKER_RETURN_IF_ERROR(stage_schema(*store_, paths_, single, schema, durable));
  const Status visible = single ? write_part(0, 0, durable) : write_catalog(durable);
  if (!visible.ok()) {
    const Replaced& file = single ? idx_.front() : catalog_;
    if (file.num_steps < 0) (void)store_->remove(temporary_of(paths_.schema_of(single)));
    return visible;
  }
  ESKER_RETURN_IF_ERROR(finish_creation(*store_, paths_, single, durable));
  for (std::size_t p = 0; p < parts_.size() && !single; ++p) {
    if (!parts_[p].fixed) ESKER_RETURN_IF_ERROR(write_part(p, 0, durable));
  }
  ESKER_RETURN_IF_ERROR(write_unions(durable));
  if (!single && options_.report != "none") print_directory();
  return {};
}

/// Also after a run that died while it created the dataset.
Status IdxWriter::write_unions(bool durable) {
  for (const auto& [path, text] : unions_of_parts(parts_)) {
    ESKER_ASSIGN_OR_RETURN(const bool exists, store_->exists(path));
    if (!exists) ESKER_RETURN_IF_ERROR(replace_file(*store_, path, text, durable));
  }
  return {};
}

/// A user who requested run.idx looks for that file: prints to stderr which files exist instead.
void IdxWriter::print_directory() const {
  const std::string name = std::filesystem::path(paths_.stem).filename().string();
  std::string files;
  if (parts_.front().place) {
    for (const auto& [path, text] : unions_of_parts(parts_)) files += (files.empty() ? "" : ", ") + path;
    const std::string text = fmt::format(
        "esker: {}.idx: a dataset with partition_index=local is a directory: open {}, or in OpenVisus {}\n",
        name, name, files);
    std::fputs(text.c_str(), stderr);
    return;
  }
  for (const Part& part : parts_)
    files += fmt::format("{}{}/{}.idx", files.empty() ? "" : ", ", name, part.name);
  const std::string text = fmt::format(
      "esker: {}.idx: a dataset with several grids, with fixed fields, or with stored_bits for some fields "
      "only is a directory: open {}, or in other programs {}\n",
      name, name, files);
  std::fputs(text.c_str(), stderr);
}

std::vector<PartFiles> IdxWriter::part_files() const {
  std::vector<PartFiles> files;
  for (const Part& part : parts_) files.push_back({part.idx_path, part.fixed});
  return files;
}

Status IdxWriter::check_step_place(Index step) {
  return esker::idx::check_step_place(*store_, paths_, part_files(), step);
}

std::vector<std::string> IdxWriter::metadata_paths() const {
  std::vector<std::string> paths;
  for (const Part& part : parts_) {
    if (!part.fixed || !times_.empty()) paths.push_back(part.idx_path);
  }
  for (const auto& [path, text] : unions_of_parts(parts_)) paths.push_back(path);
  if (is_single()) {
    paths.push_back(paths_.single_schema());
  } else {
    paths.insert(paths.end(), {paths_.schema(), paths_.catalog()});
  }
  return paths;
}

std::vector<std::string> IdxWriter::data_paths(Index first, Index end) const {
  std::vector<std::string> paths;
  for (Index step = first; step < end; ++step) {
    const std::vector<bool>& present = present_[static_cast<std::size_t>(step)];
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      if (set_sums_[static_cast<std::size_t>(step)][p]) {
        const auto files = files_of_step(*store_, directory_of(part.block_sets_path(step)));
        if (files.ok()) paths.insert(paths.end(), files->begin(), files->end());
        continue;
      }
      const Index per_file = part.header.blocks_per_file;
      for (Index n = 0; is_stored(part, present) && n < part.blocks.num_existing();) {
        const Index first_block = part.blocks.nth_existing(n) / per_file * per_file;
        paths.push_back(part.file_path(first_block, step));
        n = part.blocks.num_existing_before(std::min(first_block + per_file, part.blocks.num_blocks()));
      }
    }
  }
  return paths;
}

std::unique_ptr<StepLayouts> IdxWriter::lay_out(const std::vector<bool>& present,
                                                const StepHints& hints) const {
  return std::make_unique<IdxStepLayouts>(parts_, present, hints);
}

std::unique_ptr<StepLayouts> IdxWriter::lay_out_sparse(const std::vector<bool>& present,
                                                       const StepHints& hints, const KeptFields& kept) const {
  return std::make_unique<IdxStepLayouts>(parts_, present, hints, kept);
}

Result<std::vector<SmallFile>> IdxWriter::small_files(Index step, const std::vector<bool>& present,
                                                      const KeptFields& kept,
                                                      const PatchesOfMeshes& patches) {
  std::vector<SmallFile> files;
  new_set_sums_.assign(parts_.size(), std::nullopt);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Field& first = schema_.fields()[static_cast<std::size_t>(parts_[p].columns.front().field)];
    const std::span<const MeshBox> of_mesh = patches_of_grid(patches, first.grid);
    const bool has_patches = !of_mesh.empty() && is_stored(parts_[p], present);
    if (!has_patches && !is_sparse(parts_[p], present, kept)) continue;
    const std::string path = parts_[p].block_sets_path(step);
    StepSets sets{stored_columns(parts_[p], present, kept), {}};
    if (has_patches) sets.patches.assign(of_mesh.begin(), of_mesh.end());
    auto bytes = encode_block_sets(sets);
    if (!bytes.ok()) return bytes.status().with_context(path);
    new_set_sums_[p] = block_sets_sum(*bytes);
    files.push_back({path, std::move(*bytes)});
  }
  return files;
}

CommitRecord IdxWriter::record_of(std::size_t part_number, Index num_steps) const {
  const Part& part = parts_[part_number];
  CommitRecord record;
  const Index listed = part.fixed ? std::min<Index>(1, std::ssize(set_sums_)) : num_steps;
  for (Index step = 0; step < listed; ++step) {
    const auto& sum = set_sums_[static_cast<std::size_t>(step)][part_number];
    if (sum) record.sets[step] = *sum;
  }
  record.alignment_bytes = part.alignment_bytes;
  record.checksums = part.checksums;
  record.corner = corner_of(part);
  record.generation = num_steps + 1;
  for (std::size_t c = 0; c < part.columns.size(); ++c) {
    const Field& field = schema_.fields()[part.columns[c].field];
    if (part.columns[c].components < field.components) {
      record.split[field.name].push_back(part.header.fields[c].name);
    }
  }
  if (part.fixed) return record;
  record.times.assign(times_.begin(), times_.begin() + num_steps);
  for (Index step = 0; step < num_steps; ++step) {
    for (std::size_t c = 0; c < part.columns.size(); ++c) {
      if (!present_[static_cast<std::size_t>(step)][part.columns[c].field]) {
        record.absent[step].push_back(part.header.fields[c].name);
      }
    }
  }
  for (std::size_t c = 0; c < part.columns.size(); ++c) {
    if (!is_lossy(part.header.fields[c])) continue;
    std::vector<double>& errors = record.errors[part.header.fields[c].name];
    for (Index step = 0; step < num_steps; ++step) {
      errors.push_back(max_errors_[static_cast<std::size_t>(step)][part.columns[c].field]);
    }
  }
  return record;
}

Status IdxWriter::check_unchanged(const Replaced& file) const {
  if (file.num_steps < 0) return {};
  const auto text = read_text(*store_, file.path, kMaxHeaderBytes);
  if (text.status().code() == Code::kNotFound && file.may_be_missing) return {};
  ESKER_RETURN_IF_ERROR(text.status());
  const std::uint64_t sum = sum_of(*text);
  if (sum == file.sum || sum == file.or_sum) return {};
  return error(Code::kDataLoss, "{} differs from what this writer wrote: another program changed it",
               file.path);
}

// The leaders of partitions check their files.
Status IdxWriter::check_ours() {
  ESKER_RETURN_IF_ERROR(lock_->check_held());
  ESKER_RETURN_IF_ERROR(check_unchanged(catalog_));
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (!parts_[p].place) ESKER_RETURN_IF_ERROR(check_unchanged(idx_[p]));
  }
  return {};
}

/// The checksum of the file of a part that another rank has written.
void IdxWriter::find_sum(std::size_t part) {
  Replaced& file = idx_[part];
  if (file.has_own_text && file.num_steps >= 0) file.sum = sum_of(text_of_part(part, file.num_steps));
  file.has_own_text = false;
}

Status IdxWriter::replace(Replaced& file, const std::string& text, Index num_steps, bool durable) {
  const std::uint64_t sum = sum_of(text);
  const Status replaced =
      guarded("replace", [&] { return replace_file(*store_, file.path, text, durable || is_protected_); });
  // After an error it may still have happened, if only the sync of the directory failed.
  std::optional<bool> is_new = replaced.ok() ? std::optional(true) : std::nullopt;
  if (!is_new) {
    (void)guarded("replace", [&]() -> Status {
      const auto found = read_text(*store_, file.path, kMaxHeaderBytes);
      if (found.ok()) is_new = sum_of(*found) == sum;
      if (found.status().code() == Code::kNotFound) is_new = false;
      return {};
    });
  }
  if (is_new == true) {
    file.sum = sum;
    file.or_sum.reset();
    file.may_be_missing = false;
    file.num_steps = num_steps;
  } else if (!is_new) {
    file.may_be_missing = file.num_steps < 0;
    file.or_sum = sum;
    file.num_steps = std::max(file.num_steps, num_steps);
  }
  return replaced;
}

std::string IdxWriter::text_of_part(std::size_t number, Index num_steps) const {
  const Part& part = parts_[number];
  Header header = part.header;
  if (!part.fixed) header.time = TimeSteps{kTimeTemplate, {{0, num_steps - 1, 1}}};
  header.other.emplace_back(kRecordKey, print_sealed_record(header, record_of(number, num_steps)));
  return print_header(header);
}

Status IdxWriter::write_part(std::size_t number, Index num_steps, bool durable) {
  return replace(idx_[number], text_of_part(number, num_steps), num_steps, durable);
}

Status IdxWriter::write_catalog(bool durable) {
  const auto num_steps = static_cast<Index>(times_.size());
  Catalog catalog;
  catalog.generation = num_steps + 1;
  for (const Part& part : parts_) {
    catalog.parts.push_back({part.name, schema_.grids()[part.grid].name, part.fixed, {}});
    if (!part.place) continue;
    catalog.parts.back().place = PartPlace{part.place->own.partition, part.place->box, part.place->mask};
  }
  catalog.options = format_options_;
  catalog.times = times_;
  return replace(catalog_, print_catalog(catalog), num_steps, durable);
}

int IdxWriter::num_own_indexes() const {
  return !parts_.empty() && parts_.front().place ? parts_.front().place->own.cut->num_partitions() : 0;
}

std::vector<std::string> IdxWriter::indexes_of(int partition) const {
  std::vector<std::string> paths;
  for (const Part& part : parts_) {
    if (!part.place || part.place->own.partition != partition) continue;
    if (!part.fixed || !times_.empty()) paths.push_back(part.idx_path);
  }
  return paths;
}

void IdxWriter::take_step(const StoredStep& stored) {
  forget_steps_from(stored.step);
  new_set_sums_.resize(parts_.size());
  set_sums_.push_back(new_set_sums_);
  times_.push_back(stored.time);
  present_.push_back(stored.present);
  max_errors_.push_back(stored.max_errors);
}

Status IdxWriter::commit_partitions(const StoredStep& stored, std::span<const int> led, bool durable) {
  std::vector<std::size_t> mine;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (!parts_[p].place || (parts_[p].fixed && stored.step > 0)) continue;
    if (std::find(led.begin(), led.end(), parts_[p].place->own.partition) != led.end()) mine.push_back(p);
  }
  for (const std::size_t p : mine) {
    find_sum(p);
    ESKER_RETURN_IF_ERROR(check_unchanged(idx_[p]));
  }
  take_step(stored);
  for (const std::size_t p : mine) ESKER_RETURN_IF_ERROR(write_part(p, stored.step + 1, durable));
  return {};
}

void IdxWriter::settle_indexes(Index num_steps) {
  if (num_steps < std::ssize(times_)) forget_steps_from(num_steps);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Replaced& file = idx_[p];
    if (!parts_[p].place) continue;
    Index listed = num_steps;
    if (parts_[p].fixed) listed = num_steps == 0 ? -1 : std::max<Index>(file.num_steps, 0);
    if (file.num_steps == listed || (file.num_steps < 0 && num_steps == 0)) continue;  // it may not exist
    file.num_steps = parts_[p].fixed && listed == 0 ? 1 : listed;  // written with the first step
    file.has_own_text = true;
    file.or_sum.reset();
    file.may_be_missing = false;
  }
}

void IdxWriter::doubt_indexes(const StoredStep& stored) {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].place) find_sum(p);
  }
  take_step(stored);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Replaced& file = idx_[p];
    if (!parts_[p].place || (parts_[p].fixed && stored.step > 0) || file.num_steps > stored.step) continue;
    file.may_be_missing = file.may_be_missing || file.num_steps < 0;
    file.or_sum = sum_of(text_of_part(p, stored.step + 1));
    file.num_steps = stored.step + 1;
  }
}

Status IdxWriter::commit(const StoredStep& stored, bool durable) {
  ESKER_RETURN_IF_ERROR(check_ours());
  const Index step = stored.step;
  take_step(stored);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].place || (parts_[p].fixed && step > 0)) continue;
    ESKER_RETURN_IF_ERROR(write_part(p, step + 1, durable));
  }
  return is_single() ? Status() : write_catalog(durable);
}

void IdxWriter::forget_steps_from(Index num_steps) {
  const auto n = static_cast<std::size_t>(num_steps);
  times_.resize(n);
  present_.resize(n);
  max_errors_.resize(n);
  set_sums_.resize(n);
}

// Replaces only files that list more steps than they should, the catalog first, because readers trust it. The
// target is recorded first, so that reclaim() continues where this has failed.
Status IdxWriter::rewind(Index num_steps, bool durable) {
  for (std::size_t p = 0; p < parts_.size(); ++p) find_sum(p);  // while the steps are known
  forget_steps_from(num_steps);
  ESKER_RETURN_IF_ERROR(check_ours());
  Status status;
  if (catalog_.num_steps > num_steps) status = write_catalog(durable);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const bool is_ahead = idx_[p].num_steps > num_steps;
    Status rewound = parts_[p].place && is_ahead ? check_unchanged(idx_[p]) : Status();
    if (!rewound.ok()) {
      if (status.ok()) status = rewound;
      continue;
    }
    if (!parts_[p].fixed && idx_[p].num_steps > num_steps) {
      rewound = write_part(p, num_steps, durable);
    } else if (parts_[p].fixed && num_steps == 0 && idx_[p].num_steps >= 0) {
      rewound = store_->remove(idx_[p].path);
      if (rewound.ok()) idx_[p].num_steps = -1;
    }
    if (status.ok()) status = rewound;
  }
  return status;
}

}  // namespace esker::idx
