// Hdf5Writer: a NetCDF-4 file as a FormatWriter.
//
// On rank 0, the HDF5 library computes how a step changes the metadata of the file, and where the data of the
// step go: behind the committed end (session.h). Once the data are written, a journal (journal.h) applies the
// metadata, which commits the step. Between two calls no file is open in the library.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/netcdf/hdf5/netcdf4_file.h"
#include "formats/netcdf/hdf5/netcdf4_steps.h"
#include "formats/netcdf/hdf5/overlay.h"
#include "formats/netcdf/model/netcdf_writer.h"

namespace esker::hdf5 {

class Hdf5Writer final : public NetcdfWriter {
 public:
  Hdf5Writer(std::shared_ptr<Store> store, std::string stem, const std::string& suffix,
             const Options& options, std::shared_ptr<WriterLock> lock)
      : NetcdfWriter(std::move(store), std::move(stem), suffix, options, std::move(lock)) {}

  Status define(const Schema& schema) override;
  [[nodiscard]] bool needs_boxes() const override { return options_.chunks.by_decomposition; }
  Status take_boxes(const std::vector<Point>& extents) override;
  Status stage(bool durable) override;
  Status publish(bool durable) override;
  Result<std::string> read_staged() override;
  Result<std::string> read_existing() override;
  Status restore(const std::string& existing) override;
  Status reclaim(bool durable) override;
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present,
                                                     const StepHints& hints) const override;
  Result<std::string> prepare(Index step, double time, const std::vector<bool>& present) override;
  Status commit(const StoredStep& stored, bool durable) override;
  Status rewind(Index num_steps, bool durable) override;
  void protect_committed() override { is_protected_ = true; }

 private:
  /// The state of the file between two calls; it is valid unless a change failed in the middle.
  struct Committed {
    std::vector<double> times;
    Index file_bytes = 0;
    std::string superblock;  ///< magic bytes; see journal.h
  };
  [[nodiscard]] Result<bool> is_as_left(const File& file) const override;
  /// The change that a step makes to the file, and where its fields are; see add_step().
  struct Prepared {
    Change change;
    std::vector<Index> places;
  };
  [[nodiscard]] Result<Prepared> change_by(const NewStep& step) const;
  [[nodiscard]] Result<Prepared> change_by(const StoredStep& stored) const;
  Status change(const Change& to, std::vector<double> times, bool durable);
  Status take_room(const Change& to);
  Status take_back(bool durable);
  Result<Change> change_to(Index num_steps) const;

  Netcdf4File file_;
  Committed committed_, staged_;
  std::optional<Prepared> prepared_;    // for the current step
  std::optional<Change> inverse_;       // inverse of a change that failed
  std::string superblock_with_failed_;  // magic bytes after that change
  bool is_protected_ = false;  // the journal is durable before the file is changed, whatever the options say
};

}  // namespace esker::hdf5
