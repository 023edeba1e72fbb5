// CellCoding: codes the cells of fields with stored bits, while an exchange gathers them, and measures the
// errors.
//
// Each cell is coded once, by the rank that holds its lowest sample, directly to its place in a message or
// collective buffer. So there is no copy of coded cells that the budget would have to hold. The errors of the
// cells of a piece are merged in its head.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "esker/types/schema.hpp"
#include "exchange/patch_source.h"
#include "plan/field_boxes.h"
#include "write/cell_halo.h"
#include "write/piece_heads.h"

namespace esker {

class CellCoding final : public PatchSource {
 public:
  /// For the columns of `layouts` that are stored as cells. `space` must outlive it. May throw.
  CellCoding(const StepLayouts& layouts, const PieceSpace& space, const Schema& schema);
  ~CellCoding() override;

  /// Plans how cells are completed, for boxes of samples in `directory`. Collective; errors are those of all
  /// ranks (memory).
  Status plan_halo(Comm& comm, Directory& directory, const BoxesOfField& boxes);
  /// Memory that counts in the budget.
  [[nodiscard]] Index size_bytes() const { return halo_.size_bytes() + heads_.size_bytes(); }
  /// Plans how heads get to the owners of files. `fields`: those of the plan. Collective; errors are those of
  /// all ranks (memory).
  Status connect(Comm& comm, const StepLayouts& layouts, const Ownership& ownership, const Plan& plan,
                 const std::vector<FieldPatches>& fields);

  /// kInvalidArgument if zfp cannot code a sample of these patches. Local.
  Status check_values(const PatchesOfFields& patches);

  /// Completes the cells of a step. Collective; allocates nothing. Patches must not change until the step
  /// ends.
  void begin_step(Comm& comm, const PatchesOfFields& patches);
  [[nodiscard]] bool makes(int field) const override {
    return number_of_[static_cast<std::size_t>(field)] >= 0;
  }
  /// kInvalidArgument if zfp cannot code a sample, see CellCoder::encode().
  Status make(const Segment& segment, const Patch& patch, std::byte* target,
              const SegmentMap& place) override;

  [[nodiscard]] PieceHeads& heads() { return heads_; }
  [[nodiscard]] const PieceHeads& heads() const { return heads_; }
  /// Raises largest[field of the schema] to the largest error of a cell that this rank coded in the step.
  void add_largest_errors(std::vector<double>& largest) const;
  /// Sets fields[field of the schema] to 1 if this rank coded finite samples that are read as infinity.
  void add_infinite(std::span<double> fields) const;

 private:
  struct Column;
  Status check_values(const Column& column, const Patch& patch);
  [[nodiscard]] Point load(std::size_t column, const Patch& patch, int patch_number, const Box& in_cell);
  [[nodiscard]] std::vector<Index> coded_pieces(const std::vector<FieldPatches>& fields, int rank) const;

  const PieceSpace& space_;
  std::vector<Column> columns_;
  std::vector<int> number_of_;  // [field of the plan] -> index in columns_, or -1
  CellHalo halo_;
  PieceHeads heads_;
  std::array<std::uint64_t, 64> samples_{}, coded_{};  // of one cell
};

}  // namespace esker
