// IdxDataset: the parts of an IDX dataset, its schema and its committed steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/idx/block_comparison.h"
#include "formats/idx/dataset_parts.h"
#include "formats/idx/idx_part.h"
#include "read/findings.h"
#include "read/opened_dataset.h"
#include "store/store.h"

namespace esker::idx {

struct IdxDataset final : OpenedDataset {
  /// Where a field of the schema is stored.
  struct Place {
    int part = 0;              ///< -1: the part is written with the first step, which does not exist yet
    std::vector<int> columns;  ///< positions in the part's header; joined, these components are the field
    bool fixed = false;
  };

  std::shared_ptr<Store> store;
  std::vector<std::unique_ptr<IdxPart>> parts;
  std::vector<Place> places;  ///< [position in schema.fields()]
  DatasetPaths paths;
  bool single = true;  ///< one .idx, no catalog

  /// For `path` see Dataset::open.
  static Result<IdxDataset> open(const std::shared_ptr<Store>& store, const std::string& path);

  [[nodiscard]] bool has_samples(int field) const override { return part_of(field) != nullptr; }
  [[nodiscard]] bool has(int field, Index step) const override;
  [[nodiscard]] Box box(int field) const override;
  [[nodiscard]] Result<Bitmask> bitmask(int field) const override;
  Status read(int field, Index step, const ReadTarget& target, const ReadContext& context) const override;
  Status stored_levels(int field, Index step, const Lattice& samples,
                       std::span<std::int8_t> out) const override;
  [[nodiscard]] Result<std::optional<StoredSamples>> stored_samples(int field, Index step) const override;
  [[nodiscard]] Result<std::vector<MeshBox>> patches(int field, Index step) const override;
  /// Aligned boxes of a few blocks.
  [[nodiscard]] ReadUnit read_unit(int field, int level) const override;
  [[nodiscard]] Result<StorageInfo> storage() const override;
  [[nodiscard]] Result<std::optional<FieldErrors>> errors(int field, Index step) const override;
  [[nodiscard]] Result<std::vector<double>> largest_errors(int field) const override;
  Status verify(VerifyReport& report, const std::function<void(double)>& progress) const override;
  Status verify_against(const ReadOriginal& original, VerifyReport& report,
                        const std::function<void(double)>& progress) const override;

 private:
  [[nodiscard]] const Place& place(int field) const { return places[static_cast<std::size_t>(field)]; }
  [[nodiscard]] const IdxPart* part_of(int field) const;
  [[nodiscard]] const std::optional<Mesh>& mesh_of(int field) const;
  [[nodiscard]] Result<PartSets::Sets> mesh_sets(int field, Index step) const;
  void verify_patches(Findings& findings) const;
  [[nodiscard]] Result<std::vector<std::uint8_t>> covered(int field, Index step,
                                                          const Lattice& samples) const;
  /// What each field of a part's header holds.
  [[nodiscard]] std::vector<BlockComparison::Column> columns_of(std::size_t part) const;
  Status verify_blocks(const ReadOriginal* original, VerifyReport& report,
                       const std::function<void(double)>& progress) const;
};

}  // namespace esker::idx
