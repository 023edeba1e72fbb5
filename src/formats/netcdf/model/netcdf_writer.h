// NetcdfWriter: writes one NetCDF file, which gets its name once it is complete.
//
// create() writes the file without steps under a temporary name and renames it. A dataset in two formats does
// other work between these calls (dual_writer.h); a run that dies there leaves the temporary file.
//
// This class owns the writer lock, checks what is at the path, and replaces the file. What the file contains,
// and how a step is committed in it, depends on the encoding (cdf_writer.h, hdf5_writer.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "format/staged_writer.h"
#include "store/lock.h"
#include "store/store.h"

namespace esker {

class NetcdfWriter : public StagedWriter {
 public:
  /// kAlreadyExists: there is a file that Esker did not write, or that the options do not allow to replace.
  Status check_target() final;
  [[nodiscard]] bool replaces_existing() const final { return replaces_existing_; }
  Status publish(bool durable) override;
  Status check_ours() final;
  [[nodiscard]] const Schema& schema() const final { return schema_; }
  [[nodiscard]] const std::vector<double>& times() const final { return times_; }
  [[nodiscard]] std::vector<std::string> metadata_paths() const final { return {path_}; }
  Status release() final { return lock_->release(); }
  [[nodiscard]] std::string stem() const final { return stem_; }

 protected:
  /// The file is `stem` + `suffix`; `lock` protects everything that is written there.
  NetcdfWriter(std::shared_ptr<Store> store, std::string stem, const std::string& suffix,
               const Options& options, std::shared_ptr<WriterLock> lock);

  /// Whether the committed state in the file is the one that this writer left. Reads the file's first bytes.
  [[nodiscard]] virtual Result<bool> is_as_left(const File& file) const = 0;
  /// The beginning of read_existing(): takes the writer lock and opens the file.
  Result<std::unique_ptr<File>> open_existing();
  /// The end of reclaim(): removes the bytes from `end_bytes` on, and the temporary file.
  Status cut_off(Index end_bytes, bool durable);

  std::shared_ptr<Store> store_;
  std::string stem_, path_;
  Options options_;
  Schema schema_;
  std::vector<double> times_;  ///< of the committed steps

 private:
  std::shared_ptr<WriterLock> lock_;
  bool replaces_existing_ = false;
};

}  // namespace esker
