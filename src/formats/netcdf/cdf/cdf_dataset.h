// CdfDataset: a CDF file opened for reading, written by Esker or by any other program.
#pragma once

#include <memory>
#include <string>

#include "formats/netcdf/cdf/existing.h"
#include "read/lattice_dataset.h"

namespace esker::cdf {

class CdfDataset final : public LatticeDataset {
 public:
  /// Errors: kNotFound, kDataLoss (damaged, or shorter than an Esker file should be), kIoError.
  static Result<CdfDataset> open(const std::shared_ptr<Store>& store, const std::string& path);

  /// The complete grid: every part of it is equally fast to read.
  [[nodiscard]] ReadUnit read_unit(int field, int level) const override;
  Status verify(VerifyReport& report, const std::function<void(double)>& progress) const override;

 private:
  Status read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                      ReadCounters& counters) const override;
  [[nodiscard]] Result<Index> stored_bytes() const override { return file_->size_bytes(); }
  using LatticeDataset::LatticeDataset;

  std::unique_ptr<File> file_;
  StoredSchema cdf_;
  Index declared_end_bytes_ = 0;  // end of all values that the header declares, stored or not
};

}  // namespace esker::cdf
