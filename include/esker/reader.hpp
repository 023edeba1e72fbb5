// Reader: all ranks of a communicator read a dataset together, each the boxes that it wants.
//
//   auto reader = esker::Reader::open("run.nc", esker::mpi_communicator(MPI_COMM_WORLD)).value();
//   reader.request("temp", -1, esker::MutablePatch::dense(my_box, temperature.data())).check();
//   reader.request("thk", -1, esker::MutablePatch::dense(my_map, thickness.data())).check();
//   reader.read().check();
//
// open and read are collective, request is local. Decompositions have nothing to do with those that wrote;
// boxes may overlap, and leave out what nobody wants. A rank that only reads for itself needs no Reader:
// Dataset reads locally.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "esker/communicator.hpp"
#include "esker/dataset.hpp"
#include "esker/export.h"
#include "esker/options.hpp"
#include "esker/patch.hpp"
#include "esker/status.hpp"

namespace esker {

/// What one read cost; the same on all ranks.
struct ESKER_API ReadReport {
  Index data_bytes = 0;          ///< that ranks got, of all of them
  Index loaded_bytes = 0;        ///< that were loaded for that, without what the format reads beside
  double seconds = 0;            ///< the slowest rank
  bool aggregated = false;       ///< loaded by some and delivered (two phases); else each rank loaded its own
  int readers = 0;               ///< ranks that loaded
  Index most_loaded_bytes = 0;   ///< of loaded_bytes, by the reader that loaded the most
  Index least_loaded_bytes = 0;  ///< and by the one that loaded the least
  Index buffer_bytes = 0;        ///< of memory for it, the most of any rank
  bool planned = false;          ///< a plan was made: what is wanted was not as in the read before
  /// "173.2 MB in 0.31 s, 0.56 GB/s, by 4 readers (43.1 to 43.5 MB each)"
  [[nodiscard]] std::string to_string() const;
};

class ESKER_API Reader {
 public:
  /// `path` as for Dataset::open; `open_options` too. Collective: rank 0 looks for the files and reads what
  /// describes the dataset, and tells the others, so that opening costs the storage what it costs one rank.
  /// Of a dataset that is being written the steps are those that rank 0 sees. The options of rank 0 hold for
  /// all ranks, of which reading heeds memory_budget, window, aggregators, aggregation_factor,
  /// aggregate_reads, transport (put_types as put_fence) and call_timeout. Errors are those of all ranks:
  /// those of Dataset::open, kMismatchedCall.
  static Result<Reader> open(const std::string& path, const Communicator& comm,
                             const Result<Options>& options = Options(),
                             const OpenOptions& open_options = {});

  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// What the dataset consists of; all its functions are local.
  [[nodiscard]] const Dataset& dataset() const;

  /// Asks for what `query` means to `out`: as Dataset::read. What has a stride the rank will read by itself.
  /// Local; the memory is filled by read(). An error is returned here and again, on all ranks, by read().
  Status request(const Query& query, void* out, std::size_t out_bytes);
  /// Asks for all samples of target.box, which lies in the grid, to memory of any strides: ghost cells, any
  /// order of axes. `step` as in Query. Local.
  Status request(const std::string& field, Index step, const MutablePatch& target);
  /// The caller has found something wrong on this rank: the next read() fails on all ranks with this error.
  /// Local.
  void fail(const Status& reason);
  /// Carries out what was requested since the last read(), nothing on some ranks perhaps. Collective; same
  /// result on all ranks; on failure the requests are forgotten, and their memory holds anything.
  Status read();
  /// Of the last read() that succeeded.
  [[nodiscard]] const ReadReport& last_read() const;

 private:
  class Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace esker
