// The life of a shared file: create, open, sync, close.
#include "shared_cdf/shared_file.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/count_processors.h"
#include "comm/gather.h"
#include "exchange/shared_options.h"
#include "shared_cdf/header_edit.h"
#include "store/commit.h"

namespace esker::cdf {
namespace {

std::string lock_of(const std::string& path) {
  const std::string stem = path.ends_with(".nc") ? path.substr(0, path.size() - 3) : path;
  return stem + kLockSuffix;
}

}  // namespace

SharedFile::SharedFile(std::shared_ptr<Comm> comm, std::shared_ptr<Store> store, std::string path,
                       Options options, bool is_writable)
    : comm_(std::move(comm)),
      store_(std::move(store)),
      path_(std::move(path)),
      options_(std::move(options)),
      is_writable_(is_writable) {}

/// `take` is done by rank 0. Collective.
Result<std::unique_ptr<SharedFile>> SharedFile::begin(const char* operation, std::shared_ptr<Comm> comm,
                                                      std::shared_ptr<Store> store, const std::string& path,
                                                      bool is_writable, const Result<Options>& options,
                                                      const std::function<Status(SharedFile&)>& take) {
  Comm& all = *comm;
  ESKER_ASSIGN_OR_RETURN(Options shared, open_together(all, operation, path, options, Status()));
  std::unique_ptr<SharedFile> made;
  ESKER_RETURN_IF_ERROR(all_do(all, operation, [&] {
    made.reset(new SharedFile(comm, store, path, std::move(shared), is_writable));
    return all.rank() == 0 ? take(*made) : Status();
  }));
  return made;
}

Result<std::unique_ptr<SharedFile>> SharedFile::create(std::shared_ptr<Comm> comm,
                                                       std::shared_ptr<Store> store, const std::string& path,
                                                       Version version, bool may_replace,
                                                       const Result<Options>& options) {
  ESKER_ASSIGN_OR_RETURN(auto made, begin("create", std::move(comm), std::move(store), path, true, options,
                                          [&](SharedFile& file) { return file.lock(may_replace); }));
  made->header_.version = version;
  made->is_defining_ = true;
  return made;
}

/// Rank 0.
Status SharedFile::lock(bool may_replace) {
  ESKER_RETURN_IF_ERROR(store_->make_directories(directory_of(path_)));
  lock_ = std::make_unique<WriterLock>(store_, lock_of(path_));
  ESKER_RETURN_IF_ERROR(lock_->acquire_for(path_));
  if (may_replace) return {};
  ESKER_ASSIGN_OR_RETURN(const bool exists, store_->exists(path_));
  if (!exists) return {};
  return error(Code::kAlreadyExists, "{} exists; choose another path, or allow to replace it", path_);
}

Result<std::unique_ptr<SharedFile>> SharedFile::open(std::shared_ptr<Comm> comm, std::shared_ptr<Store> store,
                                                     const std::string& path, bool writes,
                                                     const Result<Options>& options) {
  ESKER_ASSIGN_OR_RETURN(
      auto made, begin(writes ? "open for writing" : "open", std::move(comm), std::move(store), path, writes,
                       options, [](SharedFile& file) { return file.take_existing(); }));
  ESKER_RETURN_IF_ERROR(made->read_definition());
  ESKER_RETURN_IF_ERROR(made->open_file());
  return made;
}

/// Rank 0.
Status SharedFile::take_existing() {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store_->exists(path_));
  if (!exists) return error(Code::kNotFound, "there is no file {}", path_);
  if (!is_writable_) return {};
  lock_ = std::make_unique<WriterLock>(store_, lock_of(path_));
  ESKER_RETURN_IF_ERROR(lock_->acquire_for(path_));
  ESKER_RETURN_IF_ERROR(store_->remove(temporary_of(path_)));  // of a job that was killed
  return recover_header(*store_, path_, is_durable());
}

/// Rank 0 reads the header. Collective.
Status SharedFile::read_definition() {
  std::vector<std::byte> bytes;
  Index num_records = 0;
  const Status shared = share_of_root(*comm_, "open", bytes, [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path_, OpenMode::kRead));
    auto header = read_header(*file);
    if (!header.ok()) return header.status().with_context(path_);
    num_records = header->num_records;
    bytes = print_header(*header);
    return {};
  });
  ESKER_RETURN_IF_ERROR(shared);
  std::array<std::uint64_t, 1> records{static_cast<std::uint64_t>(num_records)};
  comm_->broadcast(std::as_writable_bytes(std::span(records)), 0);
  return all_do(*comm_, "open", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(header_, parse_header(bytes));
    header_.num_records = static_cast<Index>(records[0]);
    stored_ = header_;
    return {};
  });
}

/// Collective: all ranks open it, or none.
Status SharedFile::open_file() {
  const int most_writers = most_writers_of_a_file(*comm_);
  std::unique_ptr<File> file;
  std::unique_ptr<Transfers> transfers;
  const Status opened = all_do(*comm_, "open", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(file, store_->open(path_, is_writable_ ? OpenMode::kWrite : OpenMode::kRead));
    if (!transfers_) transfers = std::make_unique<Transfers>(*comm_, options_, most_writers);
    return {};
  });
  ESKER_RETURN_IF_ERROR(opened);
  file_ = std::move(file);
  if (transfers) transfers_ = std::move(transfers);
  return {};
}

/// Rank 0, which then has all of the file up to its last record.
Status SharedFile::write_num_records() {
  const Index num_records = header_.num_records;
  ESKER_RETURN_IF_ERROR(file_->extend_to(file_bytes(header_, num_records)));
  if (stored_->num_records == num_records) return {};
  ESKER_RETURN_IF_ERROR(file_->write_at(print_num_records(header_.version, num_records), kNumRecordsOffset));
  return {};
}

Status SharedFile::sync() { return publish("sync", options_.fsync == Fsync::kStep); }

/// The number of records is in the file, or with `durable` all of it is on the device. Collective; opens the
/// call.
Status SharedFile::publish(const char* operation, bool durable) {
  const Status state = guarded(operation, [&] { return check_moving(operation, false); });
  std::array<std::uint64_t, 1> most{static_cast<std::uint64_t>(header_.num_records)};
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{.status = state, .operation = operation, .most = most}));
  if (!is_writable_) return {};
  header_.num_records = static_cast<Index>(most[0]);
  if (durable) ESKER_RETURN_IF_ERROR(all_do(*comm_, operation, [&] { return file_->sync(); }));
  const Status recorded = root_does(*comm_, operation, [&]() -> Status {
    ESKER_RETURN_IF_ERROR(write_num_records());
    return durable ? file_->sync() : Status();
  });
  ESKER_RETURN_IF_ERROR(recorded);
  stored_->num_records = header_.num_records;
  return {};
}

Status SharedFile::close() {
  Status done;
  if (is_defining_) {
    done = agree(*comm_, Ballot{Status(), "close", 0, ""});
  } else {
    done = publish("close", is_durable());
  }
  if (transfers_) transfers_->withdraw();
  const Status closed = all_do(*comm_, "close", [&]() -> Status {
    const Status status = file_ ? file_->close() : Status();
    file_.reset();
    const Status released = lock_ ? lock_->release() : Status();
    lock_.reset();
    return status.ok() ? released : status;
  });
  return done.ok() ? closed : done;
}

Status SharedFile::abandon() {
  const Status opened = agree(*comm_, Ballot{Status(), "abandon", 0, ""});
  if (transfers_) transfers_->withdraw();
  file_.reset();
  const Status released = all_do(*comm_, "abandon", [&] { return lock_ ? lock_->release() : Status(); });
  lock_.reset();
  return opened.ok() ? released : opened;
}

std::vector<std::pair<std::string, std::string>> SharedFile::used_settings() const {
  const Prepared* last = transfers_ ? transfers_->last() : nullptr;
  if (last == nullptr) return {};
  return {{"aggregators", std::to_string(last->num_aggregators)},
          {"collective_buffer",
           std::to_string(std::max(last->plan.buffer_bytes, last->plan.shared_buffer_bytes))},
          {"transport", last->used}};
}

}  // namespace esker::cdf
