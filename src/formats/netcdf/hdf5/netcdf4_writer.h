// Netcdf4Writer: a NetCDF-4 dataset in the form that the options or its files say: one file (hdf5_writer.h),
// or one file per partition (parted_writer.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "format/staged_writer.h"
#include "formats/netcdf/model/netcdf_writer.h"
#include "store/lock.h"
#include "store/store.h"

namespace esker::hdf5 {

class Netcdf4Writer final : public StagedWriter {
 public:
  /// As for Hdf5Writer. A new dataset has one file per partition with partition_index=local.
  Netcdf4Writer(std::shared_ptr<Store> store, std::string stem, std::string suffix, const Options& options,
                std::shared_ptr<WriterLock> lock);

  Status check_target() override { return writer_->check_target(); }
  [[nodiscard]] bool replaces_existing() const override { return writer_->replaces_existing(); }
  Status define(const Schema& schema) override { return writer_->define(schema); }
  [[nodiscard]] bool needs_boxes() const override { return writer_->needs_boxes(); }
  Status take_boxes(const std::vector<Point>& extents) override { return writer_->take_boxes(extents); }
  Status stage(bool durable) override { return writer_->stage(durable); }
  Status publish(bool durable) override { return writer_->publish(durable); }
  Result<std::string> read_staged() override { return writer_->read_staged(); }
  Result<std::string> read_existing() override;
  Status restore(const std::string& existing) override;
  Status reclaim(bool durable) override { return writer_->reclaim(durable); }
  Status check_ours() override { return writer_->check_ours(); }
  [[nodiscard]] const Schema& schema() const override { return writer_->schema(); }
  [[nodiscard]] const std::vector<double>& times() const override { return writer_->times(); }
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present,
                                                     const StepHints& hints) const override {
    return writer_->lay_out(present, hints);
  }
  Result<std::string> prepare(Index step, double time, const std::vector<bool>& present) override {
    return writer_->prepare(step, time, present);
  }
  Status commit(const StoredStep& stored, bool durable) override { return writer_->commit(stored, durable); }
  Status rewind(Index num_steps, bool durable) override { return writer_->rewind(num_steps, durable); }
  void protect_committed() override { writer_->protect_committed(); }
  [[nodiscard]] std::vector<std::string> data_paths(Index first, Index end) const override {
    return writer_->data_paths(first, end);
  }
  [[nodiscard]] std::vector<std::string> completed_paths(Index step) const override {
    return writer_->completed_paths(step);
  }
  [[nodiscard]] std::vector<std::string> metadata_paths() const override { return writer_->metadata_paths(); }
  Status release() override { return writer_->release(); }
  [[nodiscard]] std::string stem() const override { return writer_->stem(); }

 private:
  void choose(bool in_parts);

  std::shared_ptr<Store> store_;
  std::string stem_, suffix_;
  Options options_;
  std::shared_ptr<WriterLock> lock_;
  bool is_in_parts_ = false;
  std::unique_ptr<NetcdfWriter> writer_;
};

}  // namespace esker::hdf5
