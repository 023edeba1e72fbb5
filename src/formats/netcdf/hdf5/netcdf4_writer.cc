#include "formats/netcdf/hdf5/netcdf4_writer.h"

#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/hdf5/existing.h"
#include "formats/netcdf/hdf5/hdf5_writer.h"
#include "formats/netcdf/hdf5/parted_writer.h"

namespace esker::hdf5 {
namespace {

// The first character of what all ranks restore from.
constexpr char kOneFile = '1', kInParts = 'p';

/// Whether the file is the virtual one of a dataset in parts. False also if it cannot be read, for example
/// because a change was interrupted: a virtual file is replaced as a whole.
bool is_virtual_file(Store& store, const std::string& path) {
  const auto file = store.open(path, OpenMode::kRead);
  if (!file.ok()) return false;
  const auto file_bytes = (*file)->size_bytes();
  if (!file_bytes.ok()) return false;
  Overlay overlay(file->get(), *file_bytes);
  const auto found = has_parts(overlay);
  return found.ok() && *found;
}

}  // namespace

Netcdf4Writer::Netcdf4Writer(std::shared_ptr<Store> store, std::string stem, std::string suffix,
                             const Options& options, std::shared_ptr<WriterLock> lock)
    : store_(std::move(store)),
      stem_(std::move(stem)),
      suffix_(std::move(suffix)),
      options_(options),
      lock_(std::move(lock)) {
  choose(options_.partition_index == PartitionIndex::kLocal && options_.partitions.number > 0);
}

void Netcdf4Writer::choose(bool in_parts) {
  if (writer_ && in_parts == is_in_parts_) return;
  is_in_parts_ = in_parts;
  if (in_parts) {
    writer_ = std::make_unique<PartedWriter>(store_, stem_, suffix_, options_, lock_);
  } else {
    writer_ = std::make_unique<Hdf5Writer>(store_, stem_, suffix_, options_, lock_);
  }
}

Result<std::string> Netcdf4Writer::read_existing() {
  choose(is_virtual_file(*store_, stem_ + suffix_));
  ESKER_ASSIGN_OR_RETURN(const std::string existing, writer_->read_existing());
  return (is_in_parts_ ? kInParts : kOneFile) + existing;
}

Status Netcdf4Writer::restore(const std::string& existing) {
  if (existing.empty()) return error(Code::kInternal, "nothing to restore a NetCDF-4 dataset from");
  choose(existing.front() == kInParts);
  return writer_->restore(existing.substr(1));
}

}  // namespace esker::hdf5
