// OpenedDataset: the interface that reading uses for a dataset of any format.
//
// Dataset resolves queries with it; the format finds and reads the samples of fields. No MPI.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/dataset_info.hpp"
#include "esker/types/original.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/verify_report.hpp"
#include "grid/bitmask.h"
#include "read/read_context.h"
#include "read/read_target.h"

namespace esker {

/// How a grid is split into boxes, from its lower corner on, when several ranks read it together.
struct ReadUnit {
  Point extent{1, 1, 1, 1, 1};  ///< in samples of the level
  bool whole = false;           ///< a part of a box costs as much as the complete box
  bool in_one_call = false;     ///< read by one rank in one call; else ranks may share a box
};

/// Fields are positions in schema.fields(), steps are positions in times; `step` is 0 for fixed fields.
class OpenedDataset {
 public:
  OpenedDataset() = default;
  OpenedDataset(OpenedDataset&&) = default;
  OpenedDataset& operator=(OpenedDataset&&) = default;
  virtual ~OpenedDataset() = default;

  Schema schema;
  std::vector<double> times;  ///< committed steps
  std::vector<PartInfo> infos;
  std::vector<std::string> warnings;  ///< about problems that did not prevent reading

  /// A field of the schema, or one that level_field() returned.
  [[nodiscard]] virtual const Field& field_at(int field) const {
    return schema.fields()[static_cast<std::size_t>(field)];
  }
  /// The field that has the samples of one level of a mesh, in the indices of that level, also those under
  /// finer levels. It is not in the schema. kInvalidArgument: the field is not on a mesh, or the mesh does
  /// not have the level. kUnsupported: the format does not store whole levels.
  [[nodiscard]] virtual Result<int> level_field(int field, int level) const;
  /// Whether level_field() has the levels of the field.
  [[nodiscard]] bool has_whole_levels(int field) const { return level_field(field, 0).ok(); }
  /// False: the field is written with the first step, which does not exist yet.
  [[nodiscard]] virtual bool has_samples(int field) const = 0;
  /// Whether a field that has_samples() was written at that step.
  [[nodiscard]] virtual bool has(int field, Index step) const = 0;
  [[nodiscard]] virtual Box box(int field) const = 0;
  /// Its levels. kInvalidArgument: a grid with more digits than a mask has levels; it is read completely
  /// only, at kEveryLevel.
  [[nodiscard]] virtual Result<Bitmask> bitmask(int field) const = 0;
  static constexpr int kEveryLevel = kMaxLevel + 1;
  /// The samples of levels up to `level` in a box, which is inside the grid.
  [[nodiscard]] Result<Lattice> samples_up_to(int field, const Box& box, int level) const;
  /// Reads samples of a step that has() them, components innermost. Thread-safe.
  virtual Status read(int field, Index step, const ReadTarget& target, const ReadContext& context) const = 0;
  /// The finest level that a step which has() the field stores, with all coarser ones, at each sample of a
  /// lattice, x fastest; -1: none. Reads no samples.
  virtual Status stored_levels(int field, Index /*step*/, const Lattice& /*samples*/,
                               std::span<std::int8_t> out) const;
  /// The samples that a step stores of a field; nothing if it stores all of the grid.
  [[nodiscard]] virtual Result<std::optional<StoredSamples>> stored_samples(int /*field*/,
                                                                            Index /*step*/) const {
    return std::optional<StoredSamples>();
  }
  /// The patches of the field's mesh at a step that has() the field: ascending level, then by their lower
  /// corners, slowest axis first. Empty if the grid is no mesh.
  [[nodiscard]] virtual Result<std::vector<MeshBox>> patches(int /*field*/, Index /*step*/) const {
    return std::vector<MeshBox>();
  }
  /// The best unit for one read of the samples of a level that are inside the grid.
  [[nodiscard]] virtual ReadUnit read_unit(int field, int level) const = 0;
  /// Files with samples of committed steps.
  [[nodiscard]] virtual Result<StorageInfo> storage() const = 0;
  /// What lossy compression changed in a field at a step that has() it. Nothing if no errors are recorded.
  [[nodiscard]] virtual Result<std::optional<FieldErrors>> errors(int /*field*/, Index /*step*/) const {
    return std::optional<FieldErrors>();
  }
  /// The largest of them at each step, see Dataset.
  [[nodiscard]] virtual Result<std::vector<double>> largest_errors(int /*field*/) const {
    return std::vector<double>();
  }
  /// Reads everything; the problems go to `report`. For `progress` see esker::verify.
  virtual Status verify(VerifyReport& report, const std::function<void(double)>& progress) const = 0;
  /// The same, and compares blocks with the samples that they were made from. kUnsupported for formats that
  /// do not record errors.
  virtual Status verify_against(const ReadOriginal& original, VerifyReport& report,
                                const std::function<void(double)>& progress) const;
};

}  // namespace esker
