// DualWriter: writes the same fields and steps in two formats; the second one is IDX or Zarr.
//
//   run.nc and run.idx: option format=cdf5+idx
//   run.nc and run.zarr: option format=cdf5+zarr
//   run.vtkhdf.series and run.idx: option format=vtkhdf+idx
//
// Each field is part of the layouts of both, so one exchange moves its samples to both. A step is committed
// in the first format first and in the second one last; the dataset has the steps that are in both. A new
// dataset appears with its second half, which records the suffix of the first one. The file of the first
// format, which is by then complete under its temporary name, is renamed after that.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/macros.h"
#include "format/staged_writer.h"

namespace esker {

class DualWriter final : public FormatWriter {
 public:
  /// Both are at the same path, with the same lock. `name`: of the second half, for messages.
  DualWriter(std::unique_ptr<StagedWriter> first, std::unique_ptr<FormatWriter> second, std::string name);

  Status check_target() override;
  [[nodiscard]] bool replaces_existing() const override;
  Status define(const Schema& schema) override;
  [[nodiscard]] bool needs_boxes() const override { return first_->needs_boxes(); }
  Status take_boxes(const std::vector<Point>& extents) override { return first_->take_boxes(extents); }
  Status create(bool durable) override;
  Result<std::string> read_existing() override;
  Status restore(const std::string& existing) override;
  Status reclaim(bool durable) override;
  Status check_ours() override;
  [[nodiscard]] Status check_steps(const std::optional<double>& to_time) const override;
  Status check_step_place(Index step) override;
  [[nodiscard]] const Schema& schema() const override { return second_->schema(); }
  [[nodiscard]] const std::vector<double>& times() const override { return times_; }
  [[nodiscard]] bool stores_levels() const override { return first_->stores_levels(); }
  /// Of the one that has them: of two formats, at most one stores levels (make_writer.h).
  [[nodiscard]] int num_coarse_levels() const override {
    return std::max(first_->num_coarse_levels(), second_->num_coarse_levels());
  }
  [[nodiscard]] bool averages_levels() const override {
    return first_->averages_levels() || second_->averages_levels();
  }
  [[nodiscard]] Status check_mesh(const Mesh& mesh) const override {
    ESKER_RETURN_IF_ERROR(first_->check_mesh(mesh));
    return second_->check_mesh(mesh);
  }
  Status take_patches(const PatchesOfMeshes& patches) override { return first_->take_patches(patches); }
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present,
                                                     const StepHints& hints) const override;
  [[nodiscard]] Status check_sparse(int field) const override { return second_->check_sparse(field); }
  [[nodiscard]] const BlockGrid* blocks_of(int field) const override { return second_->blocks_of(field); }
  Result<std::vector<SmallFile>> small_files(Index step, const std::vector<bool>& present,
                                             const KeptFields& kept,
                                             const PatchesOfMeshes& patches) override {
    return second_->small_files(step, present, kept, patches);
  }
  [[nodiscard]] std::vector<int> choices_of_block_bits(int field) const override {
    return second_->choices_of_block_bits(field);
  }
  Status set_block_bits(int field, int bits) override { return second_->set_block_bits(field, bits); }
  Status reset_block_bits() override { return second_->reset_block_bits(); }
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out_sparse(const std::vector<bool>& present,
                                                            const StepHints& hints,
                                                            const KeptFields& kept) const override;
  Result<std::string> prepare(Index step, double time, const std::vector<bool>& present) override;
  Status commit(const StoredStep& stored, bool durable) override;
  Status rewind(Index num_steps, bool durable) override;
  void protect_committed() override {
    first_->protect_committed();
    second_->protect_committed();
  }
  [[nodiscard]] std::vector<std::string> data_paths(Index first, Index end) const override {
    return joined(first_->data_paths(first, end), second_->data_paths(first, end));
  }
  [[nodiscard]] std::vector<std::string> completed_paths(Index step) const override {
    return joined(first_->completed_paths(step), second_->completed_paths(step));
  }
  [[nodiscard]] std::vector<std::string> metadata_paths() const override;
  [[nodiscard]] std::string storage_note() const override { return first_->storage_note(); }
  Status release() override { return second_->release(); }
  [[nodiscard]] std::string stem() const override { return second_->stem(); }

 private:
  static std::vector<std::string> joined(std::vector<std::string> paths,
                                         const std::vector<std::string>& more);
  Status finish_creation();

  std::unique_ptr<StagedWriter> first_;
  std::unique_ptr<FormatWriter> second_;
  std::string name_;
  std::vector<double> times_;
};

}  // namespace esker
