// ForeignDataset: a Zarr group or array that another program wrote, v3 or v2, opened for reading.
//
// The arrays of the group are the variables of a netCDF file (formats/netcdf/model/foreign.h); those of
// groups in it are not read. Arrays with codecs or types that Esker does not read are left out with a
// warning.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/zarr/foreign_group.h"
#include "read/block_cache.h"
#include "read/lattice_dataset.h"

namespace esker::zarr {

class ForeignDataset final : public LatticeDataset {
 public:
  /// `path`: the directory of the group or array. Errors: kNotFound, kDataLoss (damaged, or no arrays),
  /// kUnsupported, kIoError.
  static Result<ForeignDataset> open(const std::shared_ptr<Store>& store, const std::string& path);

  /// An array may have fewer steps than others.
  [[nodiscard]] bool has(int field, Index step) const override;
  /// A chunk.
  [[nodiscard]] ReadUnit read_unit(int field, int level) const override;
  /// Files that exist, those of arrays that are left out included.
  [[nodiscard]] Result<StorageInfo> storage() const override;
  /// Decodes every chunk that there is, and compares checksums.
  Status verify(VerifyReport& report, const std::function<void(double)>& progress) const override;

 private:
  using LatticeDataset::LatticeDataset;
  Status read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                      ReadCounters& counters) const override;
  [[nodiscard]] Result<Index> stored_bytes() const override { return group_.metadata_bytes; }
  [[nodiscard]] const ForeignArray& array_of(int field) const {
    return group_.arrays[array_of_field_[static_cast<std::size_t>(field)]];
  }
  [[nodiscard]] int num_axes_of(int field) const { return has_no_axes(field) ? 0 : box(field).rank; }

  ForeignGroup group_;
  std::vector<std::size_t> array_of_field_;  // position in group_.arrays
  std::unique_ptr<BlockCache> cache_;        // of chunks that several steps share
};

}  // namespace esker::zarr
