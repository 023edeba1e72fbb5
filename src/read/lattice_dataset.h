// LatticeDataset: the common part of datasets from which any lattice of the grid can be read directly,
// without blocks: CDF, HDF5, raw samples.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "read/findings.h"
#include "read/opened_dataset.h"
#include "store/store.h"

namespace esker {

class LatticeDataset : public OpenedDataset {
 public:
  [[nodiscard]] bool has_samples(int field) const override;
  [[nodiscard]] bool has(int field, Index step) const override;
  [[nodiscard]] Box box(int field) const override;
  [[nodiscard]] Result<Bitmask> bitmask(int field) const override;
  [[nodiscard]] Result<StorageInfo> storage() const override;
  /// Reads piece by piece, with several threads if that pays off. Levels that are already loaded are not
  /// read.
  Status read(int field, Index step, const ReadTarget& target, const ReadContext& context) const override;

 protected:
  LatticeDataset(std::shared_ptr<Store> store, std::string path)
      : store_(std::move(store)), path_(std::move(path)) {}

  /// Reads a lattice of the grid: dense, x fastest, components innermost. Thread-safe.
  virtual Status read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                              ReadCounters& counters) const = 0;
  /// Length of the file.
  [[nodiscard]] virtual Result<Index> stored_bytes() const = 0;
  [[nodiscard]] bool has_no_axes(int field) const {
    return schema.has_no_axes(schema.grid_of(field_at(field)));
  }
  /// Splits `target` into targets that are each a lattice of the grid and no smaller than one read.
  [[nodiscard]] Result<std::vector<ReadTarget>> cut(int field, const ReadTarget& target) const;
  /// The unit of an array in chunks of this extent, at a level or kEveryLevel. `is_plain`: parts of a chunk
  /// can be read.
  [[nodiscard]] ReadUnit unit_of_chunks(int field, int level, const Point& chunk, bool is_plain) const;
  /// Fills `infos`: one part for each grid's fields that vary in time, and one for its fixed fields.
  Status list_parts();
  /// A warning if Esker's file is longer than `end_bytes`, where its last committed step ends.
  void look_for_leftovers(Findings& findings, Index file_bytes, Index end_bytes) const;
  /// A warning if an Esker writer has the file open.
  void look_for_writer(Findings& findings) const;

  std::shared_ptr<Store> store_;
  std::string path_;
  bool is_ours_ = false;  ///< written by Esker: fixed fields are complete from the first step on
};

}  // namespace esker
