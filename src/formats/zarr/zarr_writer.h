// ZarrWriter: a Zarr v3 group as a FormatWriter.
//
// Each step adds files: the shards of its fields. The metadata of the arrays and the values of times follow,
// and last the group's zarr.json, whose replacement commits the step: it has the metadata of all arrays. A
// reader that looks at the metadata of a single array can see a step whose commit failed, or that is about to
// be committed; its samples are complete. The next writer sets such arrays back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "format/staged_writer.h"
#include "formats/zarr/model.h"
#include "formats/zarr/paths.h"
#include "store/lock.h"
#include "store/store.h"

namespace esker::zarr {

class ZarrWriter final : public StagedWriter {
 public:
  /// The group is `stem`.zarr; `lock` protects everything that is written with this stem. `other_suffix`: of
  /// the first half of a dataset whose second half this is.
  ZarrWriter(std::shared_ptr<Store> store, std::string stem, const Options& options,
             std::shared_ptr<WriterLock> lock, std::string other_suffix = {});

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
  [[nodiscard]] const Schema& schema() const override { return schema_; }
  [[nodiscard]] const std::vector<double>& times() const override { return times_; }
  [[nodiscard]] int num_coarse_levels() const override { return model_.group.num_levels; }
  [[nodiscard]] bool averages_levels() const override { return model_.group.has_means; }
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present,
                                                     const StepHints& hints) const override;
  Status commit(const StoredStep& stored, bool durable) override;
  Status rewind(Index num_steps, bool durable) override;
  void protect_committed() override { is_protected_ = true; }
  [[nodiscard]] std::vector<std::string> data_paths(Index first, Index end) const override;
  [[nodiscard]] std::vector<std::string> completed_paths(Index step) const override;
  [[nodiscard]] std::vector<std::string> metadata_paths() const override;
  Status release() override { return lock_->release(); }
  [[nodiscard]] std::string stem() const override { return stem_; }

 private:
  [[nodiscard]] Status check_means() const;
  [[nodiscard]] Result<std::string> read_ours();
  Status complete_series(Index step, const std::vector<bool>& present, bool durable);
  Status write_times(bool durable);
  Status write_errors(const StoredStep& stored, bool durable);
  Status write_arrays(const Group& group, std::size_t count, bool durable);
  Status replace_group(Group next, bool durable);
  Status fill_file(const Array& array, Index number, Index steps, bool always, bool durable);
  Status finish_existing(const std::string& text);
  [[nodiscard]] Result<std::string> find_link(const Array& array) const;
  Status remove_fixed();
  Status remove_steps_from(Index num_steps, const Array& array, bool durable);

  std::shared_ptr<Store> store_;
  std::string stem_;
  Paths paths_;
  Options options_;
  std::shared_ptr<WriterLock> lock_;
  std::string other_suffix_;
  Schema schema_;
  Model model_;
  std::vector<double> times_;
  std::string committed_;  // the text of the group, on rank 0
  std::string attempted_;  // that of a group that may have replaced it when that failed
  std::size_t num_ahead_ =
      0;  // so many of the first arrays may have metadata that are not those of the group
  bool replaces_existing_ = false;
  bool is_protected_ = false;  // new files are durable before they replace old ones, whatever the options say
};

}  // namespace esker::zarr
