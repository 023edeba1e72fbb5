#include "formats/netcdf/model/netcdf_writer.h"

#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/esker_file.h"
#include "formats/netcdf/model/part_files.h"
#include "store/commit.h"

namespace esker {

NetcdfWriter::NetcdfWriter(std::shared_ptr<Store> store, std::string stem, const std::string& suffix,
                           const Options& options, std::shared_ptr<WriterLock> lock)
    : store_(std::move(store)),
      stem_(std::move(stem)),
      path_(stem_ + suffix),
      options_(options),
      lock_(std::move(lock)) {}

Status NetcdfWriter::check_target() {
  const std::string parent = std::filesystem::path(path_).parent_path().string();
  ESKER_RETURN_IF_ERROR(make_directories(*store_, parent, options_.fsync != Fsync::kNone));
  ESKER_RETURN_IF_ERROR(lock_->acquire());
  ESKER_ASSIGN_OR_RETURN(replaces_existing_, store_->exists(path_));
  if (!replaces_existing_) return {};
  if (!options_.overwrite) {
    return error(Code::kAlreadyExists, "{} exists; choose another path or set the option overwrite", path_);
  }
  ESKER_ASSIGN_OR_RETURN(const bool ours, is_esker_file(*store_, path_));
  if (ours) return {};
  return error(Code::kAlreadyExists, "{} was not written by Esker and is not overwritten", path_);
}

Status NetcdfWriter::publish(bool durable) {
  ESKER_RETURN_IF_ERROR(publish_file(*store_, path_, durable));
  return replaces_existing_ ? netcdf::remove_parts(*store_, path_) : Status();
}

Result<std::unique_ptr<File>> NetcdfWriter::open_existing() {
  ESKER_RETURN_IF_ERROR(lock_->acquire_for(path_));
  auto file = store_->open(path_, OpenMode::kRead);
  if (!file.ok()) return file.status().with_context("no dataset to append to");
  return file;
}

Status NetcdfWriter::cut_off(Index end_bytes, bool durable) {
  ESKER_RETURN_IF_ERROR(edit_file(
      *store_, path_, [&](File& file) { return file.shrink_to(end_bytes); }, durable));
  return store_->remove(temporary_of(path_));
}

Status NetcdfWriter::check_ours() {
  ESKER_RETURN_IF_ERROR(lock_->check_held());
  ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path_, OpenMode::kRead));
  ESKER_ASSIGN_OR_RETURN(const bool is_ours, is_as_left(*file));
  if (is_ours) return {};
  return error(Code::kDataLoss, "{} differs from what this writer wrote: another program changed it", path_);
}

}  // namespace esker
