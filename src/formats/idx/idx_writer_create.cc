// How a dataset begins: what may be at its path, and in which order its files appear.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/creation.h"
#include "formats/idx/idx_writer.h"
#include "formats/idx/midx.h"
#include "store/commit.h"

namespace esker::idx {

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
    const IndexFile& file = single ? idx_.front() : catalog_;
    if (!file.exists()) (void)store_->remove(temporary_of(paths_.schema_of(single)));
    return visible;
  }
  ESKER_RETURN_IF_ERROR(finish_creation(*store_, paths_, single, durable));
  for (std::size_t p = 0; p < parts_.size() && !single; ++p) {
    if (!parts_[p].fixed) ESKER_RETURN_IF_ERROR(write_part(p, 0, durable));
  }
  ESKER_RETURN_IF_ERROR(write_unions(durable));
  if (!single && !parts_.empty() && options_.report != "none") print_directory();
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
        "esker: note: the dataset {0} has partition_index=local, so it is a directory, not {0}.idx: open "
        "{0}, or in OpenVisus {1}\n",
        name, files);
    std::fputs(text.c_str(), stderr);
    return;
  }
  for (const Part& part : parts_)
    files += fmt::format("{}{}/{}.idx", files.empty() ? "" : ", ", name, part.name);
  const std::string text = fmt::format(
      "esker: note: the dataset {0} has several grids, fixed fields, or stored_bits for some fields only, so "
      "it is a directory, not {0}.idx: open {0}, or in other programs {1}\n",
      name, files);
  std::fputs(text.c_str(), stderr);
}

}  // namespace esker::idx
