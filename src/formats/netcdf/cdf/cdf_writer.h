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

#include "formats/netcdf/cdf/cdf_file.h"
#include "formats/netcdf/model/netcdf_writer.h"

namespace esker::cdf {

class CdfWriter final : public NetcdfWriter {
 public:
  /// The file is `stem`.nc.
  struct Kind {
    std::optional<Version> version;  ///< absent: the smallest one that holds the schema
    bool is_one_of_two = false;      ///< of a dataset whose other format may compress its fields
  };
  CdfWriter(std::shared_ptr<Store> store, std::string stem, const Kind& kind, const Options& options,
            std::shared_ptr<WriterLock> lock);

  Status define(const Schema& schema) override;
  Status stage(bool durable) override;
  Result<std::string> read_staged() override;
  Result<std::string> read_existing() override;
  Status restore(const std::string& existing) override;
  Status reclaim(bool durable) override;
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present,
                                                     const StepHints& hints) const override;
  Status commit(const StoredStep& stored, bool durable) override;
  Status rewind(Index num_steps, bool durable) override;
  [[nodiscard]] std::string storage_note() const override;

 private:
  [[nodiscard]] Result<bool> is_as_left(const File& file) const override;
  Status write_staged(File& file);
  Status fill_absent(File& file, Index step, const std::vector<bool>& present) const;
  Status write_num_records(File& file, Index num_records, bool durable);
  void put_num_records(std::vector<std::byte>& header_bytes, Index num_records) const;

  Kind kind_;
  StoredSchema file_;
  std::vector<std::byte> header_bytes_;  // as in the file, except the number of records
  std::optional<Index> or_num_records_;  // a number that may or may not have reached the file
};

}  // namespace esker::cdf
