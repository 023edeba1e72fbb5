// ZarrDataset: a Zarr v3 group that Esker wrote, opened for reading.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/zarr/model.h"
#include "formats/zarr/paths.h"
#include "read/lattice_dataset.h"

namespace esker::zarr {

class ZarrDataset final : public LatticeDataset {
 public:
  /// `path`: the directory of the group. Errors: kNotFound, kDataLoss, kUnsupported, kIoError. `is_damaged`:
  /// as of read_existing().
  static Result<ZarrDataset> open(const std::shared_ptr<Store>& store, const std::string& path,
                                  bool* is_damaged = nullptr);

  /// A chunk, or as many whole chunks as one rank reads well.
  [[nodiscard]] ReadUnit read_unit(int field, int level) const override;
  [[nodiscard]] Result<StorageInfo> storage() const override;
  /// The root mean square is bounded by the largest error, which alone is recorded.
  [[nodiscard]] Result<std::optional<FieldErrors>> errors(int field, Index step) const override;
  [[nodiscard]] Result<std::vector<double>> largest_errors(int field) const override;
  Status verify(VerifyReport& report, const std::function<void(double)>& progress) const override;

 private:
  using LatticeDataset::LatticeDataset;
  Status read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                      ReadCounters& counters) const override;
  /// Of the group's metadata.
  [[nodiscard]] Result<Index> stored_bytes() const override { return metadata_bytes_; }
  [[nodiscard]] int level_with(const Field& field, const Lattice& samples) const;
  /// Calls visit(level, field of the level, step or -1) for what each committed step has.
  template <class Visit>
  Status for_each_step(const Visit& visit) const;

  Paths paths_;
  Model model_;
  Index metadata_bytes_ = 0;
};

}  // namespace esker::zarr
