// PartedWriter: a NetCDF-4 dataset with one file per partition, and a virtual file over them, as a
// FormatWriter (docs/formats/netcdf4.md, section 5).
//
// Each part is written by a Hdf5Writer on rank 0, and could be a separate dataset. Other ranks know the kinds
// of parts, which give their layouts. A step is committed in all parts first. The virtual file, which maps
// exactly the committed steps, is then written under a temporary name and renamed. So the virtual file is
// what counts: a part may have one more step, which appending removes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/netcdf/hdf5/hdf5_writer.h"
#include "formats/netcdf/hdf5/netcdf4_file.h"
#include "formats/netcdf/hdf5/parts.h"
#include "formats/netcdf/model/netcdf_writer.h"

namespace esker::hdf5 {

class PartedWriter final : public NetcdfWriter {
 public:
  PartedWriter(std::shared_ptr<Store> store, std::string stem, const std::string& suffix,
               const Options& options, std::shared_ptr<WriterLock> lock)
      : NetcdfWriter(std::move(store), std::move(stem), suffix, options, lock),
        base_(path_),
        lock_(std::move(lock)) {}

  Status define(const Schema& schema) override;
  /// The dataset that is replaced is removed first: its virtual file, then its parts.
  Status publish(bool durable) override;
  Status stage(bool durable) override;
  /// It cannot be one of two formats.
  Result<std::string> read_staged() override { return std::string(); }
  Result<std::string> read_existing() override;
  Status restore(const std::string& existing) override;
  Status reclaim(bool durable) override;
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present,
                                                     const StepHints& hints) const override;
  Result<std::string> prepare(Index step, double time, const std::vector<bool>& present) override;
  Status commit(const StoredStep& stored, bool durable) override;
  Status rewind(Index num_steps, bool durable) override;
  void protect_committed() override;
  [[nodiscard]] std::vector<std::string> data_paths(Index first, Index end) const override {
    return first < end ? part_paths() : std::vector<std::string>();
  }
  [[nodiscard]] std::vector<std::string> completed_paths(Index /*step*/) const override {
    return part_paths();
  }

 private:
  /// What is known of the virtual file.
  struct Virtual {
    std::uint64_t sum = 0;  // checksum of its bytes
    std::vector<double> times;
  };
  /// The files of one kind, without their own coordinates (Parts::kind_of).
  struct Kind {
    Schema schema;
    Netcdf4File file;
  };
  [[nodiscard]] Result<bool> is_as_left(const File& file) const override;
  [[nodiscard]] Result<Change> virtual_file(const std::vector<double>& times) const;
  Status replace_virtual(const std::vector<double>& times, bool durable);
  void make_writers();
  Status stage_parts(bool durable);
  Status remove_old_parts() const;
  Result<std::string> read_part(int file, const std::vector<double>& times);
  [[nodiscard]] std::string directory() const;
  [[nodiscard]] std::vector<std::string> part_paths() const;
  [[nodiscard]] std::vector<bool> present_in(int file, const std::vector<bool>& present) const;

  std::string base_;  // the path of the virtual file; links are followed
  std::shared_ptr<WriterLock> lock_;
  Netcdf4File file_;
  std::optional<Parts> parts_;
  std::vector<Kind> kinds_;

  // On rank 0.
  std::vector<std::unique_ptr<Hdf5Writer>> writers_;  // [file]
  Virtual committed_;
  std::optional<Virtual> attempted_;  // a virtual file that may have replaced it when that failed
  bool is_protected_ = false;  // the virtual file is durable before it replaces the old one, in any case
};

}  // namespace esker::hdf5
