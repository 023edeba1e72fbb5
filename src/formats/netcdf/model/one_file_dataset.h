// OneFileDataset: what datasets have in common that are one file of netCDF's data model (CDF, HDF5).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "read/findings.h"
#include "read/opened_dataset.h"
#include "store/store.h"

namespace esker {

class OneFileDataset : public OpenedDataset {
 public:
  [[nodiscard]] bool has_samples(int field) const override;
  [[nodiscard]] bool has(int field, Index step) const override;
  [[nodiscard]] Box box(int field) const override;
  [[nodiscard]] Result<Bitmask> bitmask(int field) const override;
  /// Piece by piece, by several threads where that is worth it; of levels that are there already nothing.
  Status read(int field, Index step, const ReadTarget& target, const ReadContext& context) const override;

 protected:
  OneFileDataset(std::shared_ptr<Store> store, std::string path)
      : store_(std::move(store)), path_(std::move(path)) {}

  /// Reads a lattice in the grid: dense, x fastest, components innermost. Several threads may read at once.
  virtual Status read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                              ReadCounters& counters) const = 0;
  [[nodiscard]] const Field& field_at(int field) const {
    return schema.fields()[static_cast<std::size_t>(field)];
  }
  [[nodiscard]] bool has_no_axes(int field) const {
    return schema.has_no_axes(schema.grids()[static_cast<std::size_t>(field_at(field).grid)]);
  }
  /// The targets that make up `target`, each of a lattice of the grid and cut no finer than is read at once.
  [[nodiscard]] Result<std::vector<ReadTarget>> cut(int field, const ReadTarget& target) const;
  /// Fills `infos`: a part for each grid's fields that vary in time, and one for its fixed ones.
  Status list_parts();
  /// A warning if a writer of Esker has the file.
  void look_for_writer(Findings& findings) const;

  std::shared_ptr<Store> store_;
  std::string path_;
  bool is_ours_ = false;  ///< written by Esker: fixed fields come with the first step
};

}  // namespace esker
