// VtkhdfWriter: a series of VTKHDF files as a FormatWriter, for the levels of a mesh.
//
// Each step is a separate file. On rank 0, the HDF5 library computes its metadata in memory, and where the
// samples go. Once the samples are written, the metadata make the file complete, and the series (series.h),
// which is then replaced, commits the step. Between two calls no file is open in the library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "format/staged_writer.h"
#include "formats/netcdf/hdf5/overlay.h"
#include "formats/vtkhdf/series.h"
#include "formats/vtkhdf/step_file.h"
#include "formats/vtkhdf/vtkhdf_step_layouts.h"
#include "store/lock.h"
#include "store/store.h"

namespace esker::vtkhdf {

class VtkhdfWriter final : public StagedWriter {
 public:
  /// The series is `stem`.vtkhdf.series; `lock` protects everything that is written with this stem.
  /// `is_one_of_two`: of a dataset whose other format may compress its fields.
  VtkhdfWriter(std::shared_ptr<Store> store, std::string stem, const Options& options,
               std::shared_ptr<WriterLock> lock, bool is_one_of_two);

  Status check_target() override;
  [[nodiscard]] bool replaces_existing() const override { return replaces_existing_; }
  Status define(const Schema& schema) override;
  Status stage(bool durable) override;
  Status publish(bool durable) override;
  Result<std::string> read_staged() override;
  Result<std::string> read_existing() override;
  Status restore(const std::string& existing) override;
  Status reclaim(bool durable) override;
  Status check_ours() override;
  Status check_step_place(Index step) override;
  [[nodiscard]] const Schema& schema() const override { return series_.schema; }
  [[nodiscard]] const std::vector<double>& times() const override { return series_.times; }
  [[nodiscard]] bool stores_flat() const override { return false; }
  [[nodiscard]] bool stores_levels() const override { return true; }
  [[nodiscard]] Status check_mesh(const Mesh& mesh) const override { return vtkhdf::check_mesh(mesh); }
  Status take_patches(const PatchesOfMeshes& patches) override;
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present,
                                                     const StepHints& hints) const override;
  Result<std::string> prepare(Index step, double time, const std::vector<bool>& present) override;
  Status commit(const StoredStep& stored, bool durable) override;
  Status rewind(Index num_steps, bool durable) override;
  void protect_committed() override { is_protected_ = true; }
  [[nodiscard]] std::vector<std::string> data_paths(Index first, Index end) const override;
  [[nodiscard]] std::vector<std::string> completed_paths(Index step) const override {
    return data_paths(step, step + 1);
  }
  [[nodiscard]] std::vector<std::string> metadata_paths() const override { return {series_path(stem_)}; }
  [[nodiscard]] std::string storage_note() const override;
  Status release() override { return lock_->release(); }
  [[nodiscard]] std::string stem() const override { return stem_; }

 private:
  [[nodiscard]] Status refuse_steps() const;
  [[nodiscard]] std::span<const MeshBox> all_patches() const;
  [[nodiscard]] Result<std::string> read_series(const std::string& path) const;
  /// The text of the series; kDataLoss as of check_ours().
  Result<std::string> read_ours();
  Status replace_series(Series next, bool durable);
  [[nodiscard]] Result<std::vector<std::uint64_t>> sums_of(const StoredStep& stored) const;
  Status remove_steps_from(Index num_steps);

  std::shared_ptr<Store> store_;
  std::string stem_;
  Options options_;
  std::shared_ptr<WriterLock> lock_;
  bool is_one_of_two_;
  Series series_;
  std::string committed_;                 // the text of the series, on rank 0
  std::string attempted_;                 // the text of a series that may have replaced it when that failed
  PatchesOfMeshes patches_;               // of the step
  BoxesOfLevels boxes_;                   // likewise
  std::optional<hdf5::Change> metadata_;  // of the step that is prepared
  Index num_sums_ = 0, sums_offset_ = 0;  // likewise: the checksums of its runs
  bool replaces_existing_ = false;
  bool is_protected_ =
      false;  // the series is durable before it replaces the old one, whatever the options say
};

}  // namespace esker::vtkhdf
