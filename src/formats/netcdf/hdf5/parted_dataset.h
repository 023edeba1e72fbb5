// PartedDataset: a NetCDF-4 dataset of Esker with one file per partition, opened for reading. A read goes to
// the parts that have samples of it; the HDF5 library's virtual datasets are not used, because they show a
// missing part as fill values.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "formats/netcdf/hdf5/hdf5_dataset.h"
#include "formats/netcdf/hdf5/parts.h"
#include "formats/netcdf/hdf5/source.h"
#include "read/lattice_dataset.h"

namespace esker::hdf5 {

class PartedDataset final : public LatticeDataset {
 public:
  /// `found`: what the virtual file at `path` holds. Checks all parts. kDataLoss, naming the file: a part is
  /// missing, is another part or that of another dataset, or lacks committed steps.
  static Result<PartedDataset> open(std::shared_ptr<Store> store, const std::string& path, Description found);

  /// The unit of the first part; ranks also divide reads between parts.
  [[nodiscard]] ReadUnit read_unit(int field, int level) const override;
  [[nodiscard]] Result<StorageInfo> storage() const override;
  Status verify(VerifyReport& report, const std::function<void(double)>& progress) const override;

 private:
  using PartFile = std::shared_ptr<const Hdf5Dataset>;

  PartedDataset(std::shared_ptr<Store> store, const std::string& path, Parts parts);
  Status read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                      ReadCounters& counters) const override;
  /// Of all files.
  [[nodiscard]] Result<Index> stored_bytes() const override;
  /// Opens and checks a part, unless it is among the last ones that were used.
  [[nodiscard]] Result<PartFile> part(int file) const;
  [[nodiscard]] Result<PartFile> open_part(int file) const;
  [[nodiscard]] int field_in_part(int field) const { return in_part_[static_cast<std::size_t>(field)]; }

  Parts parts_;
  std::string directory_;     // of the parts
  std::vector<int> in_part_;  // position of each field among those of its files
  /// Open parts, the last used ones first. A program may have few files open at a time.
  struct Opened {
    std::mutex mutex;
    std::list<std::pair<int, PartFile>> files;
  };
  std::unique_ptr<Opened> opened_ = std::make_unique<Opened>();
};

/// Opens the HDF5 file at `path`: as a PartedDataset if it is the virtual file of one, else as a Hdf5Dataset.
Result<std::unique_ptr<OpenedDataset>> open_hdf5(const std::shared_ptr<Store>& store,
                                                 const std::string& path);

}  // namespace esker::hdf5
