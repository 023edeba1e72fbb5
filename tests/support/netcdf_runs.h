// Runs that write a netCDF file, and the file as the netCDF library reads it.
#pragma once

#include <gtest/gtest.h>
#include <netcdf.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "store/faulty_store.h"
#include "support/runs.h"
#include "support/thread_comm.h"

namespace esker::testing_support {

inline void nc(int status) { ASSERT_EQ(status, NC_NOERR) << nc_strerror(status); }

/// All files of a run.
inline std::map<std::string, std::string> files_of(const RunPlan& run) {
  const auto store = memory_store();
  const Status status = write_all(store, run);
  EXPECT_TRUE(status.ok()) << status.message();
  return all_files(*store, ".");
}

/// The files before each call to the file system while a run is written: what a kill there leaves, but for
/// the lock. Only moments that have a file at `path`, if that is given.
inline std::set<std::map<std::string, std::string>> moments_of(const RunPlan& run,
                                                               const std::string& path = "") {
  const auto store = memory_store();
  std::mutex mutex;
  std::set<std::map<std::string, std::string>> moments;
  const auto look = [&](StoreCall, const std::string&) {
    const std::scoped_lock lock(mutex);
    auto files = all_files(*store, ".");
    std::erase_if(files, [](const auto& file) { return file.first.ends_with(".esker-lock"); });
    if (path.empty() || files.contains(path)) moments.insert(std::move(files));
    return 0;
  };
  const Status status = write_all([&](int) { return faulty_store(store, look); }, run);
  EXPECT_TRUE(status.ok()) << status.message();
  return moments;
}

/// A separate store with these files.
inline std::shared_ptr<Store> store_of(const std::map<std::string, std::string>& files) {
  auto store = memory_store();
  for (const auto& [path, bytes] : files) store->create_exclusive(path, bytes).check();
  return store;
}

/// The file of a run, read by netCDF.
class NetcdfFile {
 public:
  explicit NetcdfFile(const std::string& bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("esker-netcdf-run-" + std::to_string(getpid()) + ".nc")) {
    std::filesystem::remove(path_);
    posix_store()
        ->open(path_, OpenMode::kWrite)
        .value()
        ->write_at(std::as_bytes(std::span(bytes)), 0)
        .check();
    nc(nc_open(path_.c_str(), NC_NOWRITE, &id_));
  }
  /// A file that is kept.
  static NetcdfFile at(const std::filesystem::path& path) { return NetcdfFile(path, true); }
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;
  ~NetcdfFile() {
    nc_close(id_);
    if (!is_kept_) std::filesystem::remove(path_);
  }

  [[nodiscard]] int id() const { return id_; }
  [[nodiscard]] int variable(const std::string& name) const {
    int number = -1;
    nc(nc_inq_varid(id_, name.c_str(), &number));
    return number;
  }
  /// The values of one record, or of a fixed variable, as reals.
  [[nodiscard]] std::vector<double> values(const std::string& name, Index step, bool fixed, Index n) const {
    const int number = variable(name);
    int n_dims = 0;
    nc(nc_inq_varndims(id_, number, &n_dims));
    std::vector<int> dims(static_cast<std::size_t>(n_dims));
    nc(nc_inq_vardimid(id_, number, dims.data()));
    std::vector<std::size_t> start(dims.size(), 0), count;
    for (const int dim : dims) {
      count.emplace_back();
      nc(nc_inq_dimlen(id_, dim, &count.back()));
    }
    if (!fixed) {
      start[0] = static_cast<std::size_t>(step);
      count[0] = 1;
    }
    std::vector<double> values(static_cast<std::size_t>(n));
    nc(nc_get_vara_double(id_, number, start.data(), count.data(), values.data()));
    return values;
  }

 private:
  NetcdfFile(const std::filesystem::path& path, bool is_kept) : path_(path), is_kept_(is_kept) {
    nc(nc_open(path_.c_str(), NC_NOWRITE, &id_));
  }

  std::string path_;
  bool is_kept_ = false;
  int id_ = -1;
};

inline Index committed_steps(const std::string& bytes) {
  const NetcdfFile file(bytes);
  std::size_t n = 0;
  int time = -1;
  nc(nc_inq_dimid(file.id(), "time", &time));
  nc(nc_inq_dimlen(file.id(), time, &n));
  return static_cast<Index>(n);
}

/// Every value of every field at every step.
inline void expect_values(const NetcdfFile& file, const Schema& schema, Index n_steps) {
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const Field& field = schema.fields()[f];
    const Box box = schema.box_of(schema.grid_of(field));
    for (Index step = 0; step < (field.fixed ? std::min<Index>(1, n_steps) : n_steps); ++step) {
      const auto found = file.values(field.name, step, field.fixed, box.num_samples() * field.components);
      const bool is_absent = step % field.every != 0;
      std::size_t i = 0;
      for_each_point(box, [&](const Point& p) {
        for (int c = 0; c < field.components; ++c, ++i) {
          const auto wanted = static_cast<double>(value_at(static_cast<int>(f), step, p, c));
          ASSERT_EQ(found[i], is_absent ? 255 : wanted) << field.name << " at step " << step;
        }
      });
    }
  }
}

/// A run in which a number of calls to the file system fail, from number `first` on; steps are retried.
/// Returns whether the run made that many calls.
inline bool run_with_faults(const std::shared_ptr<Store>& store, const RunPlan& run, int first, int n_faults,
                            int n_attempts) {
  int calls = 0;
  const auto fault = [&](StoreCall, const std::string&) {
    ++calls;
    return first <= calls && calls < first + n_faults ? EIO : 0;
  };
  run_ranks(1, [&](const Communicator& comm) {
    auto pipeline = open_run(comm, faulty_store(store, fault), run);
    if (!pipeline.ok()) return;
    for (Index step = run.first_step; step < run.end_step; ++step) {
      bool is_written = false;
      for (int attempt = 0; attempt < n_attempts && !is_written; ++attempt) {
        is_written = write_step(**pipeline, comm, run, step).ok();
      }
      if (!is_written) break;
    }
    (void)(*pipeline)->close({});
  });
  store->remove("run.esker-lock").check();  // if that failed, too
  return calls >= first;
}

}  // namespace esker::testing_support
