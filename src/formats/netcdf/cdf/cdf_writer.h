// CdfWriter: a CDF file as a FormatWriter.
//
// When the file gets its name it contains the coordinates and a header with no records. Each step is written
// after the committed ones, followed by its time, and last by the number of records, which commits the step.
// Fixed fields are written with the first step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "esker/options.hpp"
#include "formats/netcdf/cdf/cdf_file.h"
#include "formats/netcdf/model/netcdf_writer.h"
#include "store/lock.h"
#include "store/store.h"

namespace esker::cdf {

class CdfWriter final : public NetcdfWriter {
 public:
  /// The file is `stem`.nc. Without `version`, the smallest version that holds the schema is used. `lock`
  /// protects everything that is written there.
  CdfWriter(std::shared_ptr<Store> store, std::string stem, std::optional<Version> version,
            const Options& options, std::shared_ptr<WriterLock> lock);

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
  [[nodiscard]] const Schema& schema() const override { return schema_; }
  [[nodiscard]] const std::vector<double>& times() const override { return times_; }
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present,
                                                     const StepHints& hints) const override;
  Status commit(Index step, double time, const std::vector<bool>& present, bool durable) override;
  Status rewind(Index num_steps, bool durable) override;
  [[nodiscard]] std::vector<std::string> metadata_paths() const override { return {path_}; }
  Status release() override { return lock_->release(); }
  [[nodiscard]] std::string stem() const override { return stem_; }

 private:
  Status fill_absent(File& file, Index step, const std::vector<bool>& present) const;
  Status write_num_records(File& file, Index num_records, bool durable);
  void put_num_records(std::vector<std::byte>& header_bytes, Index num_records) const;

  std::shared_ptr<Store> store_;
  std::string stem_, path_;
  std::optional<Version> version_;
  Options options_;
  Schema schema_;
  StoredSchema file_;
  std::vector<std::byte> header_bytes_;  // as in the file, except the number of records
  std::optional<Index> or_num_records_;  // a number that may or may not have reached the file
  std::vector<double> times_;
  bool replaces_existing_ = false;
  std::shared_ptr<WriterLock> lock_;
};

}  // namespace esker::cdf
