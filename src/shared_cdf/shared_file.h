// SharedFile: a CDF file that ranks define, write and read together, in the terms of the file: dimensions,
// attributes, variables and records. It needs no schema, and variables need not be written completely.
//
//   ESKER_ASSIGN_OR_RETURN(auto file, SharedFile::create(comm, store, "run.nc", version, true, options));
//   file->definition().dims.push_back({"x", 512});  // local: all ranks define the same
//   ESKER_RETURN_IF_ERROR(file->end_definition({}));
//   ESKER_RETURN_IF_ERROR(file->put({}, accesses));  // one exchange
//   ESKER_RETURN_IF_ERROR(file->close());
//
// It is defining, until end_definition(), and again after redefine(); otherwise it moves data. The values of
// a transfer are in the file when the call returns. The number of records in the file grows later: when a
// transfer of a later record begins, at sync(), redefine() and close(). So a killed run leaves records that
// were complete when the next one began. Collective functions return the same error on all ranks, unless they
// say otherwise. Calls in the wrong state are kWrongOrder. Decision 54.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/cdf/cdf_file.h"
#include "formats/netcdf/cdf/header.h"
#include "shared_cdf/access.h"
#include "shared_cdf/access_arrays.h"
#include "shared_cdf/compare_headers.h"
#include "store/lock.h"
#include "store/store.h"
#include "transfer/transfers.h"

namespace esker::cdf {

struct Brought;

class SharedFile {
 public:
  /// Collective: a new file that is being defined. It appears, and takes the place of an existing one if it
  /// `may_replace` it, with its first end_definition(). Takes the writer lock. `options`, those of rank 0,
  /// set aggregators, aggregate_reads, transport, memory_budget, fsync; an error in their place on any rank
  /// is that of all ranks. kAlreadyExists, kIoError.
  static Result<std::unique_ptr<SharedFile>> create(std::shared_ptr<Comm> comm, std::shared_ptr<Store> store,
                                                    const std::string& path, Version version,
                                                    bool may_replace, const Result<Options>& options);
  /// Collective: an existing CDF file of any program. Takes the lock if `writes`. `options` as for create().
  /// kNotFound, kIoError, kDataLoss, kInvalidArgument: not a CDF file.
  static Result<std::unique_ptr<SharedFile>> open(std::shared_ptr<Comm> comm, std::shared_ptr<Store> store,
                                                  const std::string& path, bool writes,
                                                  const Result<Options>& options);
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// As this rank knows it, also while it is being defined. The number of records includes those of this
  /// rank's own puts.
  [[nodiscard]] const Header& header() const { return header_; }
  /// To be changed while it is being defined. Existing variables keep position, type and dimensions; offsets
  /// are ignored.
  [[nodiscard]] Header& definition() { return header_; }
  [[nodiscard]] bool is_defining() const { return is_defining_; }
  [[nodiscard]] bool is_writable() const { return is_writable_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Collective: what is defined becomes the header of the file. Values stay where they are if there is room,
  /// otherwise all ranks copy them to a new file, which then takes the place of the old one; if it cannot,
  /// the file is closed to transfers. kMismatchedCall: the ranks defined different things, see mismatch(), or
  /// gave another room; kInvalidArgument: names, types or sizes that the version does not have.
  Status end_definition(const FileRoom& room);
  /// What differed on any rank when end_definition() failed with kMismatchedCall; the same on all ranks.
  [[nodiscard]] Mismatch mismatch() const { return mismatch_; }
  /// Bytes of values that the last end_definition() copied to a new file, for lack of room; the same on all
  /// ranks.
  [[nodiscard]] Index moved_bytes() const { return moved_bytes_; }
  /// Collective.
  Status redefine();

  /// Collective: writes what all ranks bring, in one exchange. Where boxes overlap, the highest rank wins,
  /// and among the boxes of one rank the last. Many boxes of a few samples are fine. `local`: an error of
  /// this rank, or accesses that it cannot do: it alone gets the error, and takes part with nothing.
  Status put(const Status& local, std::span<Access> accesses);
  /// Collective: reads what each rank asks for, by itself or together (get_rule.h). `local`
  /// as for put(). After an error of all ranks the memory is undefined.
  Status get(const Status& local, std::span<Access> accesses);
  /// Local: this rank's values alone. Records are known to the other ranks from sync() on.
  Status put_alone(std::span<Access> accesses);
  Status get_alone(std::span<Access> accesses);
  /// Collective: a fixed variable, or one record of another one, becomes fill values.
  Status fill(int variable, Index record);

  /// Collective: the numbers of records of all ranks become equal, and are in the file; with fsync=step all
  /// is on the device.
  Status sync();
  /// Collective: publishes the number of records as sync() does, on the device unless fsync=none, and
  /// releases the lock. What is being defined is lost.
  Status close();
  /// Collective: leaves without publishing records; a new file that was never defined does not appear.
  Status abandon();

  /// The records that the file has for readers: those of this rank's own puts may be more. Local.
  [[nodiscard]] Index num_published_records() const { return stored_ ? stored_->num_records : 0; }
  /// The writer lock, which this object keeps; null on ranks other than 0, and for reading. Local.
  [[nodiscard]] const WriterLock* lock() const { return lock_.get(); }
  /// What transfers use: names and values of options; empty before the first one. Local.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> used_settings() const;
  /// How many times transfers were planned. Local.
  [[nodiscard]] Index num_plans() const { return transfers_ ? transfers_->num_plans() : 0; }

 private:
  SharedFile(std::shared_ptr<Comm> comm, std::shared_ptr<Store> store, std::string path, Options options,
             bool is_writable);
  static Result<std::unique_ptr<SharedFile>> begin(const char* operation, std::shared_ptr<Comm> comm,
                                                   std::shared_ptr<Store> store, const std::string& path,
                                                   bool is_writable, const Result<Options>& options,
                                                   const std::function<Status(SharedFile&)>& take);
  Status lock(bool may_replace);
  Status take_existing();
  Status read_definition();
  Status open_file();
  Status compare_definitions();
  Status share_difference();
  Status store_definition(const Header& placed, bool moves);
  Status create_file(const Header& placed);
  Status stage_header(const Header& placed);
  Status fill_staged(const Header& placed);
  Status move_file(const Header& placed);
  Status check_moving(const char* operation, bool writes) const;
  Status check_accesses(std::span<const Access> accesses, bool writes) const;
  Status unite(Brought& brought, std::span<const Access> accesses, bool writes);
  Result<Transfers::OutOfRange> put_united(Brought& brought);
  Status put_boxes(std::span<Access> accesses, Index used_bytes);
  Status get_by_plan(Brought& brought, bool has_same_arrays, bool has_plan, std::span<Access> accesses);
  Result<Transfers::OutOfRange> get_united(Brought& brought);
  Status begin_records(Index known, Index num_records);
  Status publish(const char* operation, bool durable);
  Status write_num_records();
  [[nodiscard]] bool is_durable() const { return options_.fsync != Fsync::kNone; }

  std::shared_ptr<Comm> comm_;
  std::shared_ptr<Store> store_;
  std::string path_;
  Options options_;
  bool is_writable_;
  bool is_defining_ = false;
  std::unique_ptr<WriterLock> lock_;  // rank 0
  Header header_;
  std::optional<Header> stored_;  // as the file has it; nothing before it appears
  Mismatch mismatch_ = Mismatch::kNone;
  Index moved_bytes_ = 0;
  std::unique_ptr<File> file_;
  std::unique_ptr<Transfers> transfers_;
};

}  // namespace esker::cdf
