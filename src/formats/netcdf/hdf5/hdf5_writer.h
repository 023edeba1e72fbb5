// Hdf5Writer: a NetCDF-4 file as a FormatWriter.
//
// On rank 0, the HDF5 library computes how a step changes the metadata of the file, and where the data of the
// step go: behind the committed end (session.h). Once the data are written, a journal (journal.h) applies the
// metadata, which commits the step. Between two calls no file is open in the library.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "esker/options.hpp"
#include "formats/netcdf/hdf5/netcdf4_file.h"
#include "formats/netcdf/hdf5/overlay.h"
#include "formats/netcdf/model/netcdf_writer.h"
#include "store/lock.h"
#include "store/store.h"

namespace esker::hdf5 {

class Hdf5Writer final : public NetcdfWriter {
 public:
  /// The file is `stem` + `suffix`; `lock` protects everything that is written there.
  Hdf5Writer(std::shared_ptr<Store> store, std::string stem, const std::string& suffix,
             const Options& options, std::shared_ptr<WriterLock> lock);

  Status check_target() override;
  [[nodiscard]] bool replaces_existing() const override { return replaces_existing_; }
  Status define(const Schema& schema) override;
  [[nodiscard]] bool needs_boxes() const override { return options_.chunks.by_decomposition; }
  Status take_boxes(const std::vector<Point>& extents) override;
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
  Result<std::string> prepare(Index step, double time, const std::vector<bool>& present) override;
  Status commit(Index step, double time, const std::vector<bool>& present, bool durable) override;
  Status rewind(Index num_steps, bool durable) override;
  void protect_committed() override { is_protected_ = true; }
  [[nodiscard]] std::vector<std::string> metadata_paths() const override { return {path_}; }
  Status release() override { return lock_->release(); }
  [[nodiscard]] std::string stem() const override { return stem_; }

 private:
  /// The state of the file between two calls; it is valid unless a change failed in the middle.
  struct Committed {
    std::vector<double> times;
    Index file_bytes = 0;
    std::string superblock;  ///< magic bytes; see journal.h
  };
  Status change(const Change& to, std::vector<double> times, bool durable);
  Status take_room(const Change& to);
  Status take_back(bool durable);
  Result<Change> change_to(Index num_steps) const;

  std::shared_ptr<Store> store_;
  std::string stem_, path_;
  Options options_;
  Schema schema_;
  Netcdf4File file_;
  Committed committed_, staged_;
  std::optional<Change> prepared_;      // the change that the current step makes to the file
  std::optional<Change> inverse_;       // inverse of a change that failed
  std::string superblock_with_failed_;  // magic bytes after that change
  std::vector<double> times_;
  bool replaces_existing_ = false;
  bool is_protected_ = false;  // the journal is durable before the file is changed, whatever the options say
  std::shared_ptr<WriterLock> lock_;
};

}  // namespace esker::hdf5
