// Writer: ranks hand over the pieces of their fields; a step appears in the dataset whole or not at all.
//
//   auto writer = esker::Writer::create("run.idx", esker::mpi_communicator(MPI_COMM_WORLD)).value();
//   auto x = writer.def_dim("x", 301).value(), y = writer.def_dim("y", 561).value();
//   auto grid = writer.def_grid("map", {x, y}).value();
//   auto thk = writer.def_field(grid, "thk", esker::SampleType::kFloat32).value();
//   writer.begin_step(0.0).check();
//   writer.put(thk, esker::Patch::dense(my_box, thickness.data())).check();
//   writer.end_step().check();
//   writer.close().check();
//
// create, append, end_step, rewind, close and the reports are collective; def_*, put_att, begin_step and put
// are local. The definitions must be the same on all ranks, in the same order; the first end_step checks it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "esker/box.hpp"
#include "esker/communicator.hpp"
#include "esker/export.h"
#include "esker/options.hpp"
#include "esker/patch.hpp"
#include "esker/schema.hpp"
#include "esker/status.hpp"

namespace esker {

/// What a field is beside its name, grid and type.
struct FieldOptions {
  int components = 1;  ///< values per sample
  bool fixed = false;  ///< put once, in the first step, and not again
  int every = 1;       ///< due at steps 0, every, 2*every ...; not put at others
};

/// What one committed step cost; the same on all ranks.
struct ESKER_API StepReport {
  Index step = 0;          ///< position in the dataset
  double time = 0;         ///< the model's time value
  Index data_bytes = 0;    ///< samples that were put
  Index stored_bytes = 0;  ///< block data in files, padding included
  double seconds = 0;      ///< end_step, the slowest rank
  int writers = 0;         ///< ranks that wrote
  Index files = 0;         ///< files written
  // What it took beside moving and storing the samples: the most of any rank. A step whose ranks put the
  // boxes of an earlier one needs none of it but the agreements and the checksum messages.
  bool planned = false;         ///< some rank's boxes were new, or the fields that were due
  double plan_s = 0;            ///< seconds of end_step in which the plan was made
  Index allocated_bytes = 0;    ///< of buffers for samples
  Index metadata_messages = 0;  ///< for the plan; a collective call counts as one
  Index metadata_bytes = 0;     ///< given by a rank in these
  Index checksum_messages = 0;  ///< to ranks that write the tables of files of which others write parts
  int agreements = 0;           ///< collective calls of a few bytes, the same on all ranks
  /// "step 3 time 150: 173.2 MB in 0.31 s, 0.56 GB/s, 4 writers, 16 files"
  [[nodiscard]] std::string to_string() const;
};

class ESKER_API Writer {
 public:
  /// A new dataset at `path` ("run.idx"). Collective. With one grid and no fixed field it is run.idx and its
  /// files in run/; with more it is the directory run/ with one .idx per grid. Before the first
  /// end_step only the lock is on disk, and the directories above the dataset; what is overwritten goes when
  /// the first step is known to be good. Errors: kAlreadyExists unless options.overwrite; another writer's
  /// lock. The options of rank 0 hold for all ranks; options that some rank could not load are an error on
  /// all, so Options::load() is best passed as it is.
  static Result<Writer> create(const std::string& path, const Communicator& comm,
                               const Result<Options>& options = Options());

  /// Goes on with a dataset that a Writer made: the next step follows its last one, or the one that rewind()
  /// leaves last. Collective. What a killed run left of an unfinished step is removed, its lock taken over if
  /// its process is known to be gone. Definitions are those of the dataset (see schema(), field()); of the
  /// options only those hold that do not change its format. The format is that of the files at `path`, unless
  /// the options name one; a dataset in two formats goes on in both, by the path of either.
  /// Errors: kNotFound, another writer's lock, kDataLoss (damaged; the two formats hold different steps:
  /// see repair.hpp), kUnsupported (not Esker's, or of a version that makes other files), kAlreadyExists
  /// from end_step (a symbolic link is where the step's files go).
  static Result<Writer> append(const std::string& path, const Communicator& comm,
                               const Result<Options>& options = Options());

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  /// A writer that was not closed ends: committed steps stay, an open step is discarded. Local, and the other
  /// ranks wait for this one in their next collective call; but when an exception leaves the writer's scope this
  /// is abandon(): the other ranks' calls fail. The exception goes on when they, too, have ended the writer,
  /// or after 5 s in which they have not come.
  ~Writer();

  /// Local; before the first end_step. Names are unique and made of letters, digits, '_', '.', '-'.
  Result<DimId> def_dim(const std::string& name, Index size);
  /// `dims` fastest (x) first, at most kMaxRank. With none, each field of the grid is a time series.
  Result<GridId> def_grid(const std::string& name, const std::vector<DimId>& dims);
  /// Coordinate values, one per index of the dimension `dim` of the grid.
  Status def_coords(GridId grid, const std::string& dim, std::vector<double> values);
  /// The same of any type, which files keep.
  Status def_coords(GridId grid, const std::string& dim, Numbers values);
  /// How netCDF files name the dimension and the variable of the times ("time" without this call), and their
  /// type. An empty name: fixed fields only, one step, at time 0.
  Status def_time(const std::string& name, SampleType type = SampleType::kFloat64);
  /// A value without axes: a grid mapping, a constant. One number, or a text.
  Result<ScalarId> def_scalar(const std::string& name, AttributeValue value);
  Result<FieldId> def_field(GridId grid, const std::string& name, SampleType type,
                            const FieldOptions& options = {});
  /// Attributes of the dataset, a dimension's coordinates, a grid, a field, or a scalar. Local; before the first
  /// end_step.
  Status put_att(const std::string& name, AttributeValue value);
  Status put_att(DimId dim, const std::string& name, AttributeValue value);
  Status put_att(GridId grid, const std::string& name, AttributeValue value);
  Status put_att(FieldId field, const std::string& name, AttributeValue value);
  Status put_att(ScalarId scalar, const std::string& name, AttributeValue value);
  /// The same of the steps' times: put_time_att("units", "seconds since 2000-01-01").
  Status put_time_att(const std::string& name, AttributeValue value);

  /// Handle of a field by name, e.g. in an appended dataset. Local. kNotFound lists the names that there are.
  [[nodiscard]] Result<FieldId> field(const std::string& name) const;

  /// Removes the committed steps whose time is greater than `time`: a run goes on from a checkpoint at
  /// `time`. Collective; not while a step is open. When it fails, readers may still see these steps; the next
  /// end_step, close or append takes them back.
  Status rewind(double time);

  /// Opens the next step. Local. `time` is greater than that of the step before.
  Status begin_step(double time);
  /// Records a patch; copies nothing. Local. The memory stays unchanged until end_step returns. A rank
  /// may put any number of patches per field, none included; together the ranks' patches cover each due
  /// field exactly once. An error is returned here and again, on all ranks, by end_step.
  Status put(FieldId field, const Patch& patch);
  /// The same of a copy: the memory is free again when this returns, and its type may be another than the
  /// field's. Local. Reals become integers without their fraction; a value that the field's type cannot hold is
  /// kOutOfRange and named. The copies of a step take up to half of the memory budget, and put() needs none:
  /// kOutOfMemory says what budget they need.
  Status put_buffered(FieldId field, const Patch& patch);
  /// The caller, a binding say, has found something wrong on this rank: the next collective call fails on all
  /// ranks with this error, as after a put that failed. Local. An earlier error stands; success is ignored.
  void fail(const Status& reason);
  /// Moves the data and commits the step. Collective; same result on all ranks. On failure nothing of
  /// the step is visible, earlier steps are intact, and begin_step may be called again.
  Status end_step();
  /// Collective. Ends an open step by discarding it, writes the report, releases the lock. Without a
  /// committed step it leaves an empty dataset, or the one that was to be overwritten. Returns when all ranks
  /// have closed or abandoned the writer; what others call before fails, and then so does this, with
  /// kMismatchedCall. The writer is closed also then.
  Status close();
  /// This rank is done with the writer wherever the other ranks are: what they call fails, naming `reason`,
  /// until they close or abandon it, too, which ends it as close() does, but makes no dataset without a step.
  /// Returns then, with what that gave. Ranks that are not in a call of this writer are waited for no longer
  /// than 60 s: they may be waiting for this one in another library or writer. Their next call then fails,
  /// saying that this rank has left, and the dataset ends without a report and, with fsync=close, unsynced.
  /// For a rank that leaves its program's common path, so that no other waits for it.
  Status abandon(const Status& reason);

  /// What is defined so far, or in an appended dataset.
  [[nodiscard]] const Schema& schema() const;
  [[nodiscard]] Index num_steps() const;                   ///< committed, also before this Writer
  [[nodiscard]] const std::vector<double>& steps() const;  ///< their time values
  [[nodiscard]] const StepReport& last_step() const;       ///< of the last step that this Writer committed
  /// The run so far: phases as min/mean/max over ranks, bytes, messages, memory. Collective; the text
  /// is on all ranks.
  Result<std::string> report_text() const;
  Result<std::string> report_json() const;

  class Impl;

 private:
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace esker
