#include "formats/idx/idx_writer.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/idx/creation.h"
#include "formats/idx/idx_choice.h"
#include "formats/idx/idx_step_layouts.h"
#include "formats/idx/leftovers.h"
#include "formats/idx/merge.h"
#include "formats/idx/midx.h"
#include "formats/idx/part_blocks.h"
#include "store/commit.h"

namespace esker::idx {

IdxWriter::IdxWriter(std::shared_ptr<Store> store, std::string stem, const Options& options,
                     std::shared_ptr<WriterLock> lock, std::string other_suffix)
    : store_(std::move(store)),
      paths_{std::move(stem)},
      options_(options),
      other_suffix_(std::move(other_suffix)),
      lock_(std::move(lock)) {}

void IdxWriter::forget_files() {
  idx_.clear();
  for (const Part& part : parts_) idx_.emplace_back(part.idx_path);
  catalog_ = IndexFile(paths_.catalog());
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
  steps_ = {std::move(existing.times), std::move(existing.present), std::move(existing.max_errors),
            std::move(existing.set_sums)};
  format_options_ = std::move(existing.format_options);
  forget_files();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Existing::Idx& idx = existing.idx[p];
    if (!idx.text.empty()) idx_[p] = IndexFile(parts_[p].idx_path, idx.text, idx.num_steps);
  }
  if (!existing.catalog_text.empty()) {
    catalog_ = IndexFile(paths_.catalog(), existing.catalog_text, steps_.size());
  }
  return {};
}

Status IdxWriter::reclaim(bool durable) {
  ESKER_RETURN_IF_ERROR(rewind(steps_.size(), durable));
  ESKER_ASSIGN_OR_RETURN(const auto leftovers, find_leftovers(*store_, paths_, part_files(), steps_.size()));
  for (const std::string& path : leftovers) ESKER_RETURN_IF_ERROR(remove_leftover(*store_, path));
  return write_unions(durable);
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
    if (!part.fixed || steps_.size() > 0) paths.push_back(part.idx_path);
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
    const std::vector<bool>& present = steps_.present[static_cast<std::size_t>(step)];
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      if (steps_.set_sums[static_cast<std::size_t>(step)][p]) {
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

// The leaders of partitions check their files.
Status IdxWriter::check_ours() {
  ESKER_RETURN_IF_ERROR(lock_->check_held());
  ESKER_RETURN_IF_ERROR(catalog_.check_unchanged(*store_));
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (!parts_[p].place) ESKER_RETURN_IF_ERROR(idx_[p].check_unchanged(*store_));
  }
  return {};
}

/// Of a file of a part that another rank has written.
void IdxWriter::find_sum(std::size_t part) {
  idx_[part].find_sum([&](Index num_steps) { return text_of_part(part, num_steps); });
}

Status IdxWriter::write_part(std::size_t number, Index num_steps, bool durable) {
  return idx_[number].replace(*store_, text_of_part(number, num_steps), num_steps, durable || is_protected_);
}

Status IdxWriter::write_catalog(bool durable) {
  const Index num_steps = steps_.size();
  Catalog catalog;
  catalog.generation = num_steps + 1;
  for (const Part& part : parts_) {
    catalog.parts.push_back({part.name, schema_.grids()[part.grid].name, part.fixed, {}});
    if (!part.place) continue;
    catalog.parts.back().place = PartPlace{part.place->own.partition, part.place->box, part.place->mask};
  }
  catalog.options = format_options_;
  catalog.times = steps_.times;
  return catalog_.replace(*store_, print_catalog(catalog), num_steps, durable || is_protected_);
}

int IdxWriter::num_own_indexes() const {
  return !parts_.empty() && parts_.front().place ? parts_.front().place->own.cut->num_partitions() : 0;
}

std::vector<std::string> IdxWriter::indexes_of(int partition) const {
  std::vector<std::string> paths;
  for (const Part& part : parts_) {
    if (!part.place || part.place->own.partition != partition) continue;
    if (!part.fixed || steps_.size() > 0) paths.push_back(part.idx_path);
  }
  return paths;
}

void IdxWriter::take_step(const StoredStep& stored) {
  new_set_sums_.resize(parts_.size());
  steps_.take(stored, new_set_sums_);
}

Status IdxWriter::commit_partitions(const StoredStep& stored, std::span<const int> led, bool durable) {
  std::vector<std::size_t> mine;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (!parts_[p].place || (parts_[p].fixed && stored.step > 0)) continue;
    if (std::find(led.begin(), led.end(), parts_[p].place->own.partition) != led.end()) mine.push_back(p);
  }
  for (const std::size_t p : mine) {
    find_sum(p);
    ESKER_RETURN_IF_ERROR(idx_[p].check_unchanged(*store_));
  }
  take_step(stored);
  for (const std::size_t p : mine) ESKER_RETURN_IF_ERROR(write_part(p, stored.step + 1, durable));
  return {};
}

void IdxWriter::settle_indexes(Index num_steps) {
  if (num_steps < steps_.size()) steps_.forget_from(num_steps);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    IndexFile& file = idx_[p];
    if (!parts_[p].place) continue;
    Index listed = num_steps;
    if (parts_[p].fixed) listed = num_steps == 0 ? -1 : std::max<Index>(file.num_steps(), 0);
    if (file.num_steps() == listed || (!file.exists() && num_steps == 0)) continue;  // it may not exist
    file.settle(parts_[p].fixed && listed == 0 ? 1 : listed);  // fixed: written with the first step
  }
}

void IdxWriter::doubt_indexes(const StoredStep& stored) {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].place) find_sum(p);
  }
  take_step(stored);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    IndexFile& file = idx_[p];
    if (!parts_[p].place || (parts_[p].fixed && stored.step > 0) || file.num_steps() > stored.step) continue;
    file.doubt(text_of_part(p, stored.step + 1), stored.step + 1);
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

// Replaces only files that list more steps than they should, the catalog first, because readers trust it. The
// target is recorded first, so that reclaim() continues where this has failed.
Status IdxWriter::rewind(Index num_steps, bool durable) {
  for (std::size_t p = 0; p < parts_.size(); ++p) find_sum(p);  // while the steps are known
  steps_.forget_from(num_steps);
  ESKER_RETURN_IF_ERROR(check_ours());
  Status status;
  if (catalog_.num_steps() > num_steps) status = write_catalog(durable);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const bool is_ahead = idx_[p].num_steps() > num_steps;
    Status rewound = parts_[p].place && is_ahead ? idx_[p].check_unchanged(*store_) : Status();
    if (!rewound.ok()) {
      if (status.ok()) status = rewound;
      continue;
    }
    if (!parts_[p].fixed && is_ahead) {
      rewound = write_part(p, num_steps, durable);
    } else if (parts_[p].fixed && num_steps == 0 && idx_[p].exists()) {
      rewound = idx_[p].remove(*store_);
    }
    if (status.ok()) status = rewound;
  }
  return status;
}

}  // namespace esker::idx
