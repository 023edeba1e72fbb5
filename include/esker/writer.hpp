// Writer: writes datasets step by step. Each rank passes its parts of the fields; a step is committed
// completely or not at all.
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
// create, append, end_step, flush, rewind, close and the reports are collective; def_*, put_att, begin_step
// and put are local. The definitions must be the same on all ranks, in the same order; the first end_step
// checks it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "esker/communicator.hpp"
#include "esker/types/box.hpp"
#include "esker/types/export.h"
#include "esker/types/keep.hpp"
#include "esker/types/options.hpp"
#include "esker/types/patch.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "esker/types/step_report.hpp"  // IWYU pragma: export

namespace esker {

/// Properties of a field other than its name, grid and type.
struct FieldOptions {
  int components = 1;            ///< values per sample
  bool fixed = false;            ///< put only once, in the first step
  int every = 1;                 ///< due at steps 0, every, 2*every ...; not put at others
  std::string compression = {};  ///< see def_compression(); empty: the option `compression` holds
  int stored_bits = 0;           ///< see def_stored_bits(); 0: samples are stored as they are
};

class ESKER_API Writer {
 public:
  /// Creates a new dataset at `path` ("run.idx"). Collective. A dataset with one grid and no fixed field
  /// consists of run.idx and files in run/; any other is a directory run/ with one .idx per grid. Until the
  /// first end_step, only the lock and the parent directories are created. An overwritten dataset is removed
  /// when the first step is complete, with everything else in its directory. The options of rank 0 hold for
  /// all ranks. If some rank could not load its options, all ranks fail, so pass the result of
  /// Options::load() directly. Errors: kAlreadyExists (the dataset exists and options.overwrite is false, or
  /// another writer holds its lock).
  static Result<Writer> create(const std::string& path, const Communicator& comm,
                               const Result<Options>& options = Options());

  /// Continues a dataset written by Esker: the next step follows its last one, or the last one that rewind()
  /// keeps. Collective. Removes the unfinished step of a killed run, and takes over its lock if that process
  /// is known to have ended. The definitions are those of the dataset (see schema(), field()). Options marked
  /// (format) are ignored. The format is that of the files at `path`, unless the options name one. A dataset
  /// in two formats is continued in both; `path` may name either. Errors: kNotFound, kAlreadyExists (another
  /// writer's lock), kDataLoss (damaged, or the two formats contain different steps: see repair.hpp),
  /// kUnsupported (not written by Esker, or by a version with other file formats). end_step returns
  /// kAlreadyExists if a symbolic link is in the place of the step's files.
  static Result<Writer> append(const std::string& path, const Communicator& comm,
                               const Result<Options>& options = Options());

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  /// Ends a writer that was not closed: committed steps are kept, an open step is discarded. Local; the other
  /// ranks wait for this one in their next collective call. During stack unwinding the destructor calls
  /// abandon() instead, so that the other ranks' calls fail. It then waits until they have ended the writer,
  /// too, but at most 5 s.
  ~Writer();

  /// Defines a dimension. Local; before the first end_step. Names are unique and consist of letters, digits,
  /// '_', '.' and '-'.
  Result<DimId> def_dim(const std::string& name, Index size);
  /// Defines a grid. `dims`: fastest (x) first, at most kMaxRank. Without dimensions, the fields of the grid
  /// are time series.
  Result<GridId> def_grid(const std::string& name, const std::vector<DimId>& dims);
  /// Defines a mesh: dimensions named like its axes, with the extents of the finest level, and a grid. Its
  /// fields are put level by level. Formats: idx, alone or with another one, and vtkhdf; netCDF files alone
  /// fail with kUnsupported in end_step. Local; before the first end_step. Errors: those of Mesh::check(),
  /// with IDX also those of Mesh::check_array(); kAlreadyExists.
  Result<GridId> def_mesh(const std::string& name, const Mesh& mesh);
  /// Promises that the levels of a mesh are nested. The same as Mesh::nested. Local; before the first
  /// end_step. Errors: kInvalidArgument (the grid is not that of a mesh).
  Status def_nested(GridId mesh);
  /// Coordinate values, one per index of the dimension `dim` of the grid.
  Status def_coords(GridId grid, const std::string& dim, std::vector<double> values);
  /// The same for values of any type. Files keep the type.
  Status def_coords(GridId grid, const std::string& dim, Numbers values);
  /// Name of the time dimension and variable in netCDF files ("time" by default), and the type of the times.
  /// With an empty name the dataset has only fixed fields and one step, at time 0.
  Status def_time(const std::string& name, SampleType type = SampleType::kFloat64);
  /// Defines a value without axes, for example a grid mapping or a constant: one number, or a text.
  Result<ScalarId> def_scalar(const std::string& name, AttributeValue value);
  Result<FieldId> def_field(GridId grid, const std::string& name, SampleType type,
                            const FieldOptions& options = {});
  /// How a field is compressed: what the option `compression` takes, which this replaces for the field. The
  /// same as FieldOptions::compression. Local; before the first end_step.
  Status def_compression(FieldId field, const std::string& compression);
  /// Stores only so many bits per sample of a field: 1, 2, 4 ... up to those of its type (float32, float64,
  /// int32, int64). Cells of 4 samples along each axis (2 or 3) are coded by zfp at this fixed rate. Readers
  /// may request fewer bits (Query::bits), and then read only these. Samples are finite, integers in half of
  /// the type's range. The field is in an .idx that OpenVisus refuses; other formats refuse the field. Local;
  /// before the first end_step.
  Status def_stored_bits(FieldId field, int bits);
  /// Sets an attribute of the dataset, a dimension's coordinates, a grid, a field, or a scalar. Local; before
  /// the first end_step.
  Status put_att(const std::string& name, AttributeValue value);
  Status put_att(DimId dim, const std::string& name, AttributeValue value);
  Status put_att(GridId grid, const std::string& name, AttributeValue value);
  Status put_att(FieldId field, const std::string& name, AttributeValue value);
  Status put_att(ScalarId scalar, const std::string& name, AttributeValue value);
  /// Sets an attribute of the time variable: put_time_att("units", "seconds since 2000-01-01").
  Status put_time_att(const std::string& name, AttributeValue value);

  /// Handle of a field by name, for example in an appended dataset. Local. The error kNotFound lists the
  /// existing names.
  [[nodiscard]] Result<FieldId> field(const std::string& name) const;

  /// Removes the committed steps whose time is greater than `time`, to continue a run from a checkpoint at
  /// `time`. Collective; not while a step is open. If it fails, readers may still see these steps until the
  /// next end_step, close or append removes them.
  Status rewind(double time);

  /// Opens the next step. Local. `time` must be greater than that of the previous step.
  Status begin_step(double time);
  /// Registers a patch without copying it. Local. The caller must not change the memory until end_step
  /// returns. A rank may put any number of patches per field, including none. Together, the patches of all
  /// ranks must cover each due field exactly once. An error is returned here and again, on all ranks, by
  /// end_step.
  ///
  /// The memory may be that of a GPU, see set_stream(). It is then copied in end_step, directly to where the
  /// exchange needs it, or before, within memory_budget, where values are needed (docs/guide/gpu.md).
  Status put(FieldId field, const Patch& patch);
  /// The same for a field of a mesh: patch.box is in the indices of `level` (0: the coarsest). Patches of one
  /// level are disjoint, and need not cover it; they may cover patches of coarser levels, whose samples there
  /// are not stored. Node-centered patches may share the nodes on their borders: the values of the first
  /// patch are stored, by lower corners, slowest axis first (see Options::compare_shared_nodes). All due
  /// fields of a mesh are put in the same patches, in the same order. Errors: kOutOfRange (a level that the
  /// mesh does not have, a patch outside of its level), and from end_step kInvalidArgument (patches that
  /// overlap, that are not nested as Mesh::nested promises, fields that are put in different patches).
  Status put(FieldId field, int level, const Patch& patch);
  /// Like put(), but copies the patch: the memory may be reused when this returns, and its type may differ
  /// from the field's. Local. Conversion to integers drops the fraction. Errors: kOutOfRange (names the value
  /// that the field's type cannot represent), kOutOfMemory (the copies of a step would exceed half of the
  /// memory budget; the message says what budget they need).
  Status put_buffered(FieldId field, const Patch& patch);
  /// The same for a field of a mesh.
  Status put_buffered(FieldId field, int level, const Patch& patch);
  /// The CUDA stream (CUstream, cudaStream_t) in which the program fills patches on a GPU, for puts that
  /// follow: samples are copied when it has done what it has to do at the time of the put. Local. Null, as at
  /// first: the legacy default stream.
  void set_stream(void* stream);
  /// Adds a rule for the open step: which samples of the fields of a grid, or of one field, are stored.
  /// Local; the rules of all ranks hold together. The finest level that a rule keeps at a place counts;
  /// places that no rule reaches are dropped; fields without rules on any rank are stored completely. Ranks
  /// still put all samples. IDX only, and in cdf5+idx for the IDX dataset. An error is returned here and
  /// again, on all ranks, by end_step, which finds more of them: esker/types/keep.hpp lists all.
  Status keep(GridId grid, const KeepRule& rule);
  Status keep(FieldId field, const KeepRule& rule);
  /// Reports an error that the caller (for example a binding) found on this rank: the next end_step, rewind,
  /// close or abandon fails on all ranks with it, as after a failed put. Local. If an error was reported
  /// before, that one is kept. Success is ignored.
  void fail(const Status& reason);
  /// Moves the data and commits the step. Collective; same result on all ranks. On failure the step is not
  /// visible, earlier steps are intact, and begin_step may be called again.
  Status end_step();
  /// The same, but returns before the step is stored, if the option `storage` allows: a thread stores it,
  /// from memory that Esker owns, while the program computes. Collective. The memory of the patches may be
  /// reused. The step is committed by the next collective call, also abandon(); readers do not see it before.
  /// If storing it fails, that call fails on all ranks, and names the step; a step that was begun meanwhile
  /// must be begun again. At most one step is in flight: the next end_step waits until it is stored. If the
  /// program ends without such a call, or is killed, the step is discarded. Errors of this call are those
  /// that are found before the samples move.
  Status end_step_async();
  /// Waits until a step of end_step_async() is stored, and commits it. Collective; a step may be open.
  Status flush();
  /// Discards an open step, writes the report and releases the lock. Collective. If no step was committed,
  /// the result is an empty dataset, or the old one if it was to be overwritten. Returns when all ranks have
  /// closed or abandoned the writer. If another rank calls something else, that call and close() fail
  /// (kMismatchedCall), and close() waits at most 60 s more. The writer is closed even if close() fails.
  Status close();
  /// Leaves the writer on this rank only, for a rank that fails outside of Esker, so that no other rank waits
  /// for it. Calls of the other ranks fail and name `reason` until they close or abandon the writer, too. The
  /// writer then ends as in close(), except that no empty dataset is created, and this call returns the
  /// result. It waits at most 60 s for ranks that are not in a call of this writer, because they may be
  /// waiting for this rank elsewhere. After that, their next call fails and says that this rank has left; no
  /// report is written, and with fsync=close the dataset is not synced.
  Status abandon(const Status& reason);

  /// The definitions so far, or those of the appended dataset.
  [[nodiscard]] const Schema& schema() const;
  /// Committed steps, also before this Writer, and the one that end_step_async() left in flight.
  [[nodiscard]] Index num_steps() const;
  [[nodiscard]] const std::vector<double>& steps() const;  ///< their time values
  [[nodiscard]] const StepReport& last_step() const;       ///< last step committed by this Writer
  /// Report of the run so far: phases as min/mean/max over ranks, bytes, messages, memory. Collective; all
  /// ranks get the text.
  Result<std::string> report_text() const;
  Result<std::string> report_json() const;

  class Impl;

 private:
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace esker
