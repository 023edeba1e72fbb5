// Reader: all ranks of a communicator read a dataset together, each rank its own boxes.
//
//   auto reader = esker::Reader::open("run.nc", esker::mpi_communicator(MPI_COMM_WORLD)).value();
//   reader.request("temp", -1, esker::MutablePatch::dense(my_box, temperature.data())).check();
//   reader.request("thk", -1, esker::MutablePatch::dense(my_map, thickness.data())).check();
//   reader.read().check();
// open and read are collective, request is local. The decomposition may differ from the one that wrote the
// dataset. Boxes may overlap and need not cover the grid. Reading on one rank alone needs no Reader: use
// Dataset.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "esker/communicator.hpp"
#include "esker/dataset.hpp"
#include "esker/types/export.h"
#include "esker/types/options.hpp"
#include "esker/types/patch.hpp"
#include "esker/types/read_report.hpp"  // IWYU pragma: export
#include "esker/types/status.hpp"

namespace esker {

class ESKER_API Reader {
 public:
  /// Opens a dataset; `path` and `open_options` as for Dataset::open. Collective. Rank 0 reads the metadata
  /// and broadcasts them, so that opening loads the file system no more than one rank would. The files that
  /// say which blocks a sparse step stores (blocks.set) are not among them: each rank that reads blocks of
  /// the step reads its file. If the dataset is being written, all ranks use the steps that rank 0 finds. The
  /// options of rank 0 hold for all ranks. Reading uses memory_budget, collective_buffer, aggregators,
  /// aggregate_reads, transport (put_types means put_fence), tune and call_timeout.
  /// Errors are the same on all ranks: those of Dataset::open, kMismatchedCall.
  static Result<Reader> open(const std::string& path, const Communicator& comm,
                             const Result<Options>& options = Options(),
                             const OpenOptions& open_options = {});

  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// The open dataset. All its functions are local.
  [[nodiscard]] const Dataset& dataset() const;

  /// Requests the samples of `query`, to be stored in `out` as by Dataset::read. Local; read() fills the
  /// memory. Queries with a stride are read independently by the rank. `missing`: see ReadOptions; which
  /// samples a sparse step stores tells dataset().levels(query). An error is returned here and again, on all
  /// ranks, by read().
  Status request(const Query& query, void* out, std::size_t out_bytes,
                 MissingBlocks missing = MissingBlocks::kAuto);
  /// Requests all samples of target.box, which lies within the grid. The memory may have any strides (ghost
  /// cells, any order of axes). `step`, `bits` and `mesh_level` as in Query. Local.
  Status request(const std::string& field, Index step, const MutablePatch& target,
                 std::optional<int> bits = {}, MissingBlocks missing = MissingBlocks::kAuto,
                 std::optional<int> mesh_level = {});
  /// Requests the samples of `query`, also of a coarse level or a stride, in memory with any strides as by
  /// Dataset::read, which lives until read() returns. Local. Errors: those of Dataset::read, which the next
  /// read() also returns on all ranks.
  Status request(const Query& query, const MutablePatch& target,
                 MissingBlocks missing = MissingBlocks::kAuto);
  /// The CUDA stream (CUstream, cudaStream_t) that uses memory of a GPU which is requested from now on: such
  /// memory is filled after what the stream has to do at the time of the request. Null, as at first: the
  /// legacy default stream. Local.
  void set_stream(void* stream);
  /// Reports an error that the caller found on this rank: the next read() fails on all ranks with it. Local.
  void fail(const Status& reason);
  /// Carries out the requests made since the last read(); a rank may have none. Collective; same result on
  /// all ranks. On failure the requests are dropped and the contents of their memory are undefined.
  Status read();
  /// Report of the last successful read().
  [[nodiscard]] const ReadReport& last_read() const;
  /// JSON: the member "tuning" says what reads with tune=auto tried, and what it gained; without it: {}. A
  /// file of this text is what tune=replay takes. Collective; the same on all ranks.
  [[nodiscard]] Result<std::string> tuning_json() const;

 private:
  class Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace esker
