// esker.h: Esker for C99 and for languages that call C. The only stable binary interface of the library;
// esker.hpp is the same for C++. examples/write.c and examples/read.c are complete programs; esker_mpi.h adds
// MPI.
//
// Conventions of all functions:
//
// - Status. 0, ESKER_OK, is success. esker_message(ds) gives the full text of an error. Nothing is global, so
//   any number of datasets may be open at once. A handle is used by one thread at a time; two threads that
//   read open the dataset twice.
// - Collective or local. Collective functions are called by all ranks of the communicator, in the same
//   order, and return the same status on all of them. All ranks define the same grids and fields. A local
//   function that writes returns its error at once, and the next esker_end_step, esker_end_step_async,
//   esker_rewind or esker_close returns it again on all ranks: a program may check only these.
// - Handles. esker_create, esker_append and esker_open return a dataset even when they fail: it keeps the
//   message, and every call on it except esker_free returns the same error again. The same holds for
//   communicators and decompositions. Each handle is freed by one call of its _free.
// - Numbers. Dimensions, grids and fields are numbered from 0 in the order in which they were defined.
//   Sizes, indices and steps have 64 bits.
// - Axes. Arrays with one element per axis begin with x, which is the fastest in memory and on disk; they
//   have as many elements as the grid has axes, at most ESKER_MAX_RANK. A box is its lowest index `lo` and
//   its `extent`.
// - Strings are UTF-8. Strings and arrays that Esker returns belong to the handle. They live until its
//   esker_close or, for a dataset that is written, until the next definition, if that is earlier.
// - NULL. A function with several results takes NULL for those that are not wanted. Every other NULL is
//   ESKER_INVALID_ARGUMENT, unless its comment gives it a meaning. (A NULL dataset in a collective call
//   cannot be reported to the other ranks.)
// - Structs never change: later versions add functions instead.
// - Memory that runs out is a status. Only an error of MPI itself ends the program.
// - Any function may return ESKER_OUT_OF_MEMORY, ESKER_INVALID_ARGUMENT, ESKER_WRONG_ORDER for a dataset
//   that is closed or of the other kind (written, read), and ESKER_OUT_OF_RANGE for a number that does not
//   exist.
#ifndef ESKER_ESKER_H
#define ESKER_ESKER_H

#include <stdint.h>

#include "esker/types/export.h"
#include "esker/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a call ended. The numbers never change.
typedef int esker_status;
enum {
  ESKER_OK = 0,
  ESKER_INVALID_ARGUMENT = 1,  ///< a value that can never be right: a name, a size, a type, an option
  ESKER_OUT_OF_RANGE = 2,      ///< an index, box, level or step outside the grid or dataset
  ESKER_NOT_FOUND = 3,         ///< no such file, field, grid, step
  ESKER_ALREADY_EXISTS = 4,    ///< would overwrite data without the caller's permission
  ESKER_WRONG_ORDER = 5,       ///< a call that is not allowed now
  ESKER_MISMATCHED_CALL = 6,   ///< ranks called different collective operations, or with different arguments
  ESKER_DATA_LOSS = 7,         ///< a file is damaged, truncated or not what its header says
  ESKER_IO_ERROR = 8,          ///< the system refused: the message carries path and the system's reason
  ESKER_UNSUPPORTED = 9,       ///< legal, but not implemented
  ESKER_OUT_OF_MEMORY = 10,    ///< an allocation failed or the memory budget is too small
  ESKER_INTERNAL = 11,         ///< an error in Esker itself
  ESKER_CANCELLED = 12         ///< the caller's function asked for it
};

/// The type of one component of a sample.
typedef int esker_type;
enum {
  ESKER_INT8 = 0,
  ESKER_UINT8 = 1,
  ESKER_INT16 = 2,
  ESKER_UINT16 = 3,
  ESKER_INT32 = 4,
  ESKER_UINT32 = 5,
  ESKER_INT64 = 6,
  ESKER_UINT64 = 7,
  ESKER_FLOAT32 = 8,
  ESKER_FLOAT64 = 9,
  ESKER_TEXT = 10  ///< only for scalars: UTF-8, ended by a NUL
};

/// What an attribute belongs to. The number that follows it is that of the grid, field, dimension (for its
/// coordinates) or scalar; it is 0 for the dataset and for the times of the steps.
typedef int esker_object;
enum { ESKER_DATASET = 0, ESKER_GRID = 1, ESKER_FIELD = 2, ESKER_DIM = 3, ESKER_TIME = 4, ESKER_SCALAR = 5 };

/// The kind of an attribute's value: a text, integers of any size, or reals of any size.
typedef int esker_att_type;
enum { ESKER_ATT_TEXT = 0, ESKER_ATT_INT64 = 1, ESKER_ATT_DOUBLE = 2 };

/// Where the samples of a mesh are, see esker_def_mesh.
typedef int esker_centering;
enum {
  ESKER_AT_CELLS = 0,  ///< in the middle of cells
  ESKER_AT_NODES = 1   ///< at the corners of cells: a level has one more along each axis than it has cells
};

/// The value of samples whose block is missing from the dataset, see esker_set_missing.
typedef int esker_missing;
enum {
  ESKER_MISSING_AUTO = 0,  ///< NEAREST where a sparse step leaves blocks out, FILL where other programs may;
                           ///< ESKER_DATA_LOSS where Esker wrote the block
  ESKER_MISSING_FILL = 1,  ///< the field's _FillValue, if it has one, else its default value
  ESKER_MISSING_NEAREST = 2,  ///< the nearest stored sample of a coarser level; if there is none, as FILL
  ESKER_MISSING_LINEAR = 3,   ///< interpolated from coarser samples; exact where the field is linear
  ESKER_MISSING_NAN = 4       ///< NaN; fields of float32 and float64 only
};

enum {
  ESKER_MAX_RANK = 5,          ///< most axes that a grid may have
  ESKER_FIXED = 0,             ///< `every` of a field that is put only in the first step
  ESKER_EVERY_STEP = 1,        ///< `every` of a field that is put in each step
  ESKER_LAST_STEP = -1,        ///< the newest step
  ESKER_FULL_LEVEL = -1,       ///< every sample
  ESKER_ALL_MESH_LEVELS = -1,  ///< the finest level of a mesh at each place, see esker_set_mesh_level
  ESKER_KEEP_DROPPED = -128,   ///< level of a sample that a rule of esker_keep_levels does not reach
  ESKER_OPEN_VERIFY = 1        ///< flag of esker_open: verify the checksums of what is read, where they exist
};

/// A dataset that is written or read.
typedef struct esker_dataset esker_dataset;
/// All settings of writing and reading that need no change in the model's code.
typedef struct esker_options esker_options;
/// The group of ranks that writes a dataset together. NULL means a group of one.
typedef struct esker_comm esker_comm;

// ---- The library

/// The version of the library that runs, "0.1.0"; ESKER_VERSION is that of the header. Local.
ESKER_API const char* esker_version(void);

/// How the library that runs was built: lines "compiler: GNU 12.2.0, Release, x86_64", "codecs: zlib 1.2.13,
/// ...", "HDF5: 1.10.8" or "HDF5: none", and which memory of GPUs it takes. For people: the format may
/// change. Static. Local.
ESKER_API const char* esker_build_facts(void);

/// A few words for a status, static; any number is allowed. Local. esker_message has the full text.
ESKER_API const char* esker_strerror(esker_status status);

/// "int8" ... "float64", static; "unknown" for other numbers. Local.
ESKER_API const char* esker_type_name(esker_type type);

/// Bytes of one component: 1, 2, 4 or 8; 0 for other numbers. Local.
ESKER_API int esker_type_bytes(esker_type type);

// ---- Options

/// Options with their built-in values, freed by esker_options_free. Local. `*out` is NULL without memory.
ESKER_API esker_status esker_options_new(esker_options** out);

/// Resets all options: built-in values, then the TOML file that ESKER_CONFIG names (or ./esker.toml, if it
/// exists), then the environment, where option `aggregators` is ESKER_AGGREGATORS. Local. Errors change
/// nothing: ESKER_NOT_FOUND (the file that ESKER_CONFIG names), ESKER_INVALID_ARGUMENT (the text names the
/// file or variable).
ESKER_API esker_status esker_options_load(esker_options* options);

/// Sets one option from text: esker_options_set(options, "memory_budget", "256M"). Local. Errors:
/// ESKER_INVALID_ARGUMENT; the text says which values or options exist, and nothing changes.
ESKER_API esker_status esker_options_set(esker_options* options, const char* name, const char* value);

/// The number of options. Local.
ESKER_API esker_status esker_options_inq_num(esker_options* options, int* num);

/// One option, in a fixed order: its name, its value as text, the source of the value ("built-in", a file, a
/// variable, "program"), and what it does. Local. The texts live until the next set, load or free.
ESKER_API esker_status esker_options_inq(esker_options* options, int number, const char** name,
                                         const char** value, const char** source, const char** help);

/// The text of the last call with `options` that failed, or "". Local.
ESKER_API const char* esker_options_message(const esker_options* options);

/// Frees the options; a dataset keeps its own copy. NULL is ignored. Local.
ESKER_API void esker_options_free(esker_options* options);

// ---- Communicators (made in esker_mpi.h)

/// The rank of the caller, 0 ... size - 1. Local. `comm` NULL: 0.
ESKER_API esker_status esker_comm_rank(const esker_comm* comm, int* rank);

/// The number of ranks. Local. `comm` NULL: 1.
ESKER_API esker_status esker_comm_size(const esker_comm* comm, int* size);

/// Frees a communicator; datasets made with it keep what they need of it. NULL is ignored. Collective as
/// MPI_Comm_free is: all ranks, in the same order.
ESKER_API void esker_comm_free(esker_comm* comm);

// ---- Opening and closing

/// Creates a dataset at `path` ("run.idx"). Collective over `comm` (NULL: this process alone). `options`
/// NULL: built-in values; all ranks use those of rank 0. With one grid and no fixed field the dataset is
/// run.idx and its files in run/; with more it is the directory run/ with one .idx per grid. `*out` is freed
/// by esker_free, also after a failure; it is NULL only without memory. Errors: ESKER_ALREADY_EXISTS unless
/// the option overwrite is set, which removes everything in the directory of a dataset of Esker;
/// ESKER_IO_ERROR for another writer's lock and errors of the system; ESKER_MISMATCHED_CALL.
ESKER_API esker_status esker_create(const char* path, const esker_comm* comm, const esker_options* options,
                                    esker_dataset** out);

/// Continues a dataset that Esker wrote: the next step follows its last one. Collective. The unfinished step
/// of a killed run is removed. Grids and fields are those of the dataset (esker_inq_field_id); only
/// options that do not change its layout take effect. The format is that of the files, unless the options
/// name one; a dataset in two formats is continued in both, by the path of either. `*out` as in
/// esker_create. Errors: ESKER_NOT_FOUND, ESKER_DATA_LOSS (damaged, or the two formats hold different
/// steps), ESKER_UNSUPPORTED (not written by Esker, or by a version with another layout), those of
/// esker_create.
ESKER_API esker_status esker_append(const char* path, const esker_comm* comm, const esker_options* options,
                                    esker_dataset** out);

/// Opens a dataset for reading: an .idx file, a directory that Esker made, a CDF file or an HDF5 file
/// (NetCDF-4). Local. `flags`: 0 or ESKER_OPEN_VERIFY. Only headers are read. `*out` as in esker_create.
/// Errors: ESKER_NOT_FOUND, ESKER_DATA_LOSS, ESKER_UNSUPPORTED.
ESKER_API esker_status esker_open(const char* path, unsigned flags, esker_dataset** out);

/// Opens a dataset that all ranks of `comm` (NULL: this process alone) read together, by esker_request and
/// esker_read; the functions for datasets of esker_open work, too. Collective. `options` NULL: built-in
/// values; all ranks use those of rank 0. If the dataset is being written, its steps are those that all
/// ranks see. Errors:
/// those of esker_open on any rank, ESKER_MISMATCHED_CALL.
ESKER_API esker_status esker_open_parallel(const char* path, const esker_comm* comm,
                                           const esker_options* options, unsigned flags, esker_dataset** out);

/// Closes the dataset; the handle remains valid for esker_message and esker_free. Collective for a dataset
/// that is written: an open step is discarded, the report written, the lock released; without a committed
/// step it leaves an empty dataset, or the one that was to be overwritten. Returns when all ranks have closed
/// or abandoned the dataset. If other ranks call something else first, that call and this one fail with
/// ESKER_MISMATCHED_CALL, and this one waits at most 60 s more; the dataset is closed nevertheless. Local for
/// a dataset that is read. Closing twice is not an error.
ESKER_API esker_status esker_close(esker_dataset* ds);

/// Frees the handle in any state; NULL is ignored. Local, with one exception: the last handle of a
/// communicator also frees MPI's duplicate of it, so all ranks do this in the same order, before
/// MPI_Finalize. A dataset that is written and was not closed is abandoned: committed steps remain, an open
/// one is discarded.
ESKER_API void esker_free(esker_dataset* ds);

/// The text of the last call with `ds` that failed, "" if none has: operation, field, file, rank, expected,
/// found. Local. Never NULL; lives until the next call with `ds`.
ESKER_API const char* esker_message(const esker_dataset* ds);

/// For bindings: messages of later calls with `ds` count samples, steps, fields and so on from `first`: from
/// 0, as C does, or from 1, with boxes as sections of arrays, (1:5, 4:6). Ranks may differ. Local; NULL is
/// ignored.
ESKER_API void esker_count_from(esker_dataset* ds, int first);

// ---- Defining: before the first esker_end_step of a new dataset, the same on all ranks

/// A dimension of `size` >= 1 points; `*dim` is its number. Local. Names are unique among their kind: 1 to
/// 128 letters, digits, '_', '.', '-'. Errors: ESKER_ALREADY_EXISTS.
ESKER_API esker_status esker_def_dim(esker_dataset* ds, const char* name, int64_t size, int* dim);

/// A grid of the `num_dims` dimensions `dims`, x first; `*grid` is its number. Local. With 0 dimensions
/// (`dims` may be NULL) each of its fields is a time series: one sample per step. Errors:
/// ESKER_ALREADY_EXISTS.
ESKER_API esker_status esker_def_grid(esker_dataset* ds, const char* name, int num_dims, const int* dims,
                                      int* grid);

/// A mesh with several levels (AMR): dimensions with the names `axes` and the extents of the finest level,
/// and a grid of them; `*grid` is its number. Local. Formats: idx, alone or with another one, and vtkhdf;
/// netCDF files alone fail with ESKER_UNSUPPORTED in esker_end_step. Level 0 is the coarsest, with `extent`
/// >= 1 cells along each axis. Finer levels may cover parts of it. The fields of the grid are put by
/// esker_put_level, in indices of a level, and read in indices of the finest one. Arrays have 1 to
/// ESKER_MAX_RANK elements, x first. `ratios`: those from level 0 to 1, one per axis, then those from level 1
/// to 2 and so on, each at least 1 and not all 1, with IDX powers of two; NULL if `num_levels` is 1.
/// `origin`: the lower corner of the domain (NULL: 0); `spacing`: the edges of a cell of level 0 (NULL: 1),
/// both in any unit of length. Everything is copied. Errors: ESKER_ALREADY_EXISTS (the grid, a dimension),
/// ESKER_INVALID_ARGUMENT (an extent or ratio; the text names it), ESKER_OUT_OF_RANGE (more than 2^61 cells
/// along an axis of the finest level; with IDX, more than 62 binary digits for its indices).
ESKER_API esker_status esker_def_mesh(esker_dataset* ds, const char* name, int num_dims,
                                      const char* const* axes, const int64_t* extent, int num_levels,
                                      const int64_t* ratios, esker_centering centering, const double* origin,
                                      const double* spacing, int* grid);

/// Promises that the levels of the mesh of a grid are nested: all patches of a level are inside of those of
/// the next coarser level. A step with other patches is an error of esker_end_step, ESKER_INVALID_ARGUMENT.
/// Local. Errors: ESKER_INVALID_ARGUMENT (the grid is not that of a mesh).
ESKER_API esker_status esker_def_nested(esker_dataset* ds, int grid);

/// Coordinates of the grid along dimension `dim`: `count` values, one per point, copied. Local.
ESKER_API esker_status esker_def_coords(esker_dataset* ds, int grid, int dim, const double* values,
                                        int64_t count);

/// The same with values of any type, which files keep. Local.
ESKER_API esker_status esker_def_coords_values(esker_dataset* ds, int grid, int dim, esker_type type,
                                               const void* values, int64_t count);

/// The name of the dimension and variable of the times in netCDF files ("time" by default), and their type.
/// Local. With the name "" the dataset has only fixed fields, and one step, at time 0.
ESKER_API esker_status esker_def_time(esker_dataset* ds, const char* name, esker_type type);

/// A value without axes, such as a grid mapping: one number, or a text for ESKER_TEXT; `*scalar` is its
/// number. Local. Errors: ESKER_ALREADY_EXISTS, also for the name of a field.
ESKER_API esker_status esker_def_scalar(esker_dataset* ds, const char* name, esker_type type,
                                        const void* value, int* scalar);

/// A field with `components` values per sample; `*field` is its number. Local. `every`: ESKER_EVERY_STEP; n:
/// due at steps 0, n, 2n ..., and not put at others; ESKER_FIXED. Errors: ESKER_ALREADY_EXISTS.
ESKER_API esker_status esker_def_field(esker_dataset* ds, int grid, const char* name, esker_type type,
                                       int components, int every, int* field);

/// How a field is compressed, instead of the option `compression`, whose values it takes:
/// esker_def_compression(ds, temp, "zfp-accuracy=1e-3"). Local. Errors: ESKER_INVALID_ARGUMENT.
ESKER_API esker_status esker_def_compression(esker_dataset* ds, int field, const char* compression);
/// Stores only so many bits per sample of a field: 1, 2, 4 ... up to those of its type (float32, float64,
/// int32, int64; grids of 2 or 3 dimensions; finite samples; IDX). Readers may request fewer bits
/// (esker_set_bits) and then read only these. Local. Errors: ESKER_INVALID_ARGUMENT.
ESKER_API esker_status esker_def_stored_bits(esker_dataset* ds, int field, int bits);

/// An attribute of any object: esker_put_att_text(ds, ESKER_FIELD, thk, "units", "m"). Local. Replaces one
/// of the same name. Names have 1 to 256 bytes. The text is copied.
ESKER_API esker_status esker_put_att_text(esker_dataset* ds, esker_object object, int number,
                                          const char* name, const char* text);

/// The same with a list of `count` >= 1 texts, copied; a list of one is the text. Local. esker_get_att_text
/// returns them joined by newlines.
ESKER_API esker_status esker_put_att_texts(esker_dataset* ds, esker_object object, int number,
                                           const char* name, const char* const* texts, int64_t count);

/// The same with `count` >= 1 integers, copied. Local.
ESKER_API esker_status esker_put_att_int64(esker_dataset* ds, esker_object object, int number,
                                           const char* name, const int64_t* values, int64_t count);

/// The same with `count` >= 1 reals, copied. Local.
ESKER_API esker_status esker_put_att_double(esker_dataset* ds, esker_object object, int number,
                                            const char* name, const double* values, int64_t count);

/// The same with `count` >= 1 numbers of any type, copied. Local. Files keep the type.
ESKER_API esker_status esker_put_att_values(esker_dataset* ds, esker_object object, int number,
                                            const char* name, esker_type type, const void* values,
                                            int64_t count);

// ---- Writing steps

/// Opens the next step. Local. `time` is greater than that of the previous step.
ESKER_API esker_status esker_begin_step(esker_dataset* ds, double time);

/// Records a patch of a field: the samples of the box `lo`, `extent`, dense, x fastest, components together.
/// Local; nothing is copied: the memory must not change until esker_end_step returns. A rank may put any
/// number of patches per field, or none; together the ranks cover each field that is due exactly once. `type`
/// is that of `data` and must be the field's. A box without samples is ignored. Errors: ESKER_OUT_OF_RANGE
/// (leaves the grid), ESKER_WRONG_ORDER (no step is open, the field is not due).
///
/// The memory may be that of a GPU, here and in the other functions that put, see esker_set_stream
/// (docs/guide/gpu.md).
ESKER_API esker_status esker_put(esker_dataset* ds, int field, esker_type type, const int64_t* lo,
                                 const int64_t* extent, const void* data);

/// The same for any layout in memory, with ghost cells and any order of axes. Local. `data` is the sample at
/// `lo`; `stride_bytes` has one element per axis, from one sample to the next; `component_stride_bytes` is
/// from one component to the next, 0 where they are contiguous.
ESKER_API esker_status esker_put_strided(esker_dataset* ds, int field, esker_type type, const int64_t* lo,
                                         const int64_t* extent, const void* data, const int64_t* stride_bytes,
                                         int64_t component_stride_bytes);

/// The same with a copy: `data` may change after the call, and `type` may differ from the field's. Local.
/// `stride_bytes` as in esker_put_strided, or NULL: dense. Reals lose their fraction in fields of integers;
/// ESKER_OUT_OF_RANGE names a value that the field's type cannot hold. The copies of a step take up to half
/// of the option memory_budget; the text of ESKER_OUT_OF_MEMORY says which budget they need.
ESKER_API esker_status esker_put_buffered(esker_dataset* ds, int field, esker_type type, const int64_t* lo,
                                          const int64_t* extent, const void* data,
                                          const int64_t* stride_bytes, int64_t component_stride_bytes);

/// Records a patch of a field of a mesh: as esker_put_strided, but `lo` and `extent` are in samples of
/// `level` (0: the coarsest), and `stride_bytes` NULL is dense. Local; nothing is copied. Patches of one
/// level are disjoint and need not cover it. They may cover patches of coarser levels, whose samples there
/// are not stored. Each rank puts all due fields of a mesh in the same patches, in the same order. Errors:
/// ESKER_OUT_OF_RANGE (a level that the mesh does not have, a box outside of its level),
/// ESKER_INVALID_ARGUMENT (a field that is not on a mesh), and from esker_end_step ESKER_INVALID_ARGUMENT
/// (patches that overlap, fields that are put in different patches).
ESKER_API esker_status esker_put_level(esker_dataset* ds, int field, int level, esker_type type,
                                       const int64_t* lo, const int64_t* extent, const void* data,
                                       const int64_t* stride_bytes, int64_t component_stride_bytes);

/// The same with a copy, as esker_put_buffered. Local.
ESKER_API esker_status esker_put_buffered_level(esker_dataset* ds, int field, int level, esker_type type,
                                                const int64_t* lo, const int64_t* extent, const void* data,
                                                const int64_t* stride_bytes, int64_t component_stride_bytes);

/// Sets the CUDA stream (cudaStream_t, CUstream) in which the program uses GPU memory, for puts that follow,
/// also in later steps: samples are copied when it has done what it has to do at the time of the put. Of a
/// dataset that is open for reading: for esker_get and requests that follow, whose memory is filled after
/// that. Local. NULL, as at first: the legacy default stream. Memory of the host needs none. Errors:
/// ESKER_WRONG_ORDER (the dataset is closed).
ESKER_API esker_status esker_set_stream(esker_dataset* ds, void* stream);

// Adaptive storage. Rules say which samples of the open step are kept: of all fields of a grid (`object`
// ESKER_GRID, `number` that of the grid) or of one field (ESKER_FIELD). Levels count from the finest: 0 keeps
// all samples of a place, -1 every second one, -6 one of 64. Where rules overlap, on any rank, the finest
// level counts. What no rule reaches is dropped; fields without rules on any rank are stored completely.
// Ranks still put all samples. Blocks that hold a kept sample are stored, others are neither sent nor stored.
// IDX only, and in cdf5+idx for the IDX dataset. `dilate` >= 0 grows a region by so many samples in all
// directions, across ranks, too. Common errors: ESKER_OUT_OF_RANGE (a level above 0 or
// below -62, `dilate` < 0), ESKER_WRONG_ORDER (no step is open); from esker_end_step ESKER_OUT_OF_RANGE (a
// level that the grid does not have), ESKER_WRONG_ORDER (the field is not put), ESKER_UNSUPPORTED (the
// format, or a field with stored bits), ESKER_OUT_OF_MEMORY (an eighth of memory_budget is too little for
// `dilate`).

/// Keeps everything at `level` <= 0: reduced resolution. Local.
ESKER_API esker_status esker_keep_level(esker_dataset* ds, esker_object object, int number, int level);

/// Keeps the samples in boxes at `level`. Local. `lo` and `extent` have the `num_boxes` boxes one after the
/// other, each with one element per axis, x first. Parts outside the grid are ignored. 0 boxes (`lo` and
/// `extent` may be NULL) reach nothing; a box counts if any rank gives it.
ESKER_API esker_status esker_keep_boxes(esker_dataset* ds, esker_object object, int number, int64_t num_boxes,
                                        const int64_t* lo, const int64_t* extent, int level, int64_t dilate);

/// Keeps the samples at `level` where low <= value <= high for any component of `field`, a field of the same
/// grid that is put in this step; each rank looks at the samples that it puts. Values are compared as
/// float64. Local. NaN counts as inside, at the finest level; with `drop_nan` 1 as outside. Errors:
/// ESKER_INVALID_ARGUMENT (a field of another grid, low > high), and from esker_end_step ESKER_WRONG_ORDER
/// (`field` is not put).
ESKER_API esker_status esker_keep_range(esker_dataset* ds, esker_object object, int number, int field,
                                        double low, double high, int level, int64_t dilate, int drop_nan);

/// Keeps each sample of the box `lo`, `extent` at a separate level, <= 0; ESKER_KEEP_DROPPED: the rule does
/// not reach it. Local; nothing is copied: the memory must not change until esker_end_step returns. This rank
/// puts all samples of the box, of at least one field of the grid. `stride_bytes` as in esker_put_strided, or
/// NULL: dense, x fastest. Errors: ESKER_OUT_OF_RANGE (the box leaves the grid), and from esker_end_step
/// ESKER_OUT_OF_RANGE (a level above 0 or coarser than the coarsest), ESKER_INVALID_ARGUMENT (samples that
/// this rank does not put).
ESKER_API esker_status esker_keep_levels(esker_dataset* ds, esker_object object, int number,
                                         const int64_t* lo, const int64_t* extent, const int8_t* levels,
                                         const int64_t* stride_bytes, int64_t dilate);

/// Moves the data and commits the step completely, or not at all. Collective. On failure nothing of the step
/// is visible, earlier steps are intact, and esker_begin_step may be called again. Errors: those of local
/// calls on any rank, samples that no patch or several patches hold, ESKER_MISMATCHED_CALL, ESKER_IO_ERROR.
ESKER_API esker_status esker_end_step(esker_dataset* ds);

/// The same, but returns before the step is stored, unless the option `storage` is mpiio: a thread stores it,
/// from memory of Esker, while the program computes. Collective. The memory of the patches may be reused. The
/// next collective call with `ds` commits the step; readers do not see it before. If storing it fails, that
/// call fails on all ranks and names the step, and a step that was begun meanwhile must be begun again. If
/// the program ends without such a call, the step is discarded. Errors: those that are found before samples
/// move.
ESKER_API esker_status esker_end_step_async(esker_dataset* ds);

/// Waits until the step of esker_end_step_async is stored, if there is one, and commits it. Collective; a
/// step may be open.
ESKER_API esker_status esker_flush(esker_dataset* ds);

/// Removes the committed steps whose time is greater than `time`, so that a run continues from a checkpoint.
/// Collective; not while a step is open. If it fails, readers may still see these steps until the next
/// esker_end_step, esker_close or esker_append.
ESKER_API esker_status esker_rewind(esker_dataset* ds, double time);

/// Reports that this rank cannot do its part: the next esker_end_step, esker_rewind, esker_close or
/// esker_read fails on all ranks with this status and text, instead of waiting for this rank. Local. The
/// first error counts. `status` is an error.
ESKER_API esker_status esker_fail(esker_dataset* ds, esker_status status, const char* message);

/// Ends the dataset for a rank that leaves the common path of its program: the calls of other ranks fail with
/// `message` until they close or abandon the dataset, too, which ends it as esker_close does. Returns then,
/// or after 60 s in which some rank has made no call: its next one fails. Collective in that sense. `status`
/// ESKER_OK (and `message` NULL): this rank follows one that has left.
ESKER_API esker_status esker_abandon(esker_dataset* ds, esker_status status, const char* message);

/// The cost of one committed step; the same on all ranks.
typedef struct esker_step_report {
  int64_t step;          ///< position in the dataset
  double time;           ///< the model's time value
  int64_t data_bytes;    ///< samples that were put
  int64_t stored_bytes;  ///< block data in files, including padding
  double seconds;        ///< duration of esker_end_step, and of the commit, on the slowest rank
  int64_t writers;       ///< number of ranks that wrote
  int64_t files;         ///< number of files written
} esker_step_report;

/// The last step that was committed through `ds`; all 0 if there is none. Local.
ESKER_API esker_status esker_inq_last_step(esker_dataset* ds, esker_step_report* report);

/// What a sparse step stores of a field, in samples; primary / (primary + secondary) is the efficiency.
typedef struct esker_stored_samples {
  int64_t primary;    ///< of levels that are kept at their place
  int64_t secondary;  ///< other samples of the grid in stored blocks
  int64_t padding;    ///< of stored blocks, outside the grid
  int64_t blocks;     ///< stored
} esker_stored_samples;

/// What a step with rules (esker_keep_level and so on) stores; the same on all ranks.
typedef struct esker_kept_report {
  int64_t primary_bytes;    ///< of all fields, of levels that are kept at their place
  int64_t secondary_bytes;  ///< other samples of the grid in stored blocks
  int64_t padding_bytes;    ///< of stored blocks, outside the grid
  int64_t raised_from;      ///< the coarsest level that was asked for, if block 0 is finer; else 0
  double write_imbalance;   ///< largest over mean bytes per aggregator
  double put_imbalance;     ///< likewise, of the bytes that ranks contribute to stored blocks
} esker_kept_report;

/// What the last step that was committed through `ds` keeps; all 0 if it has no rules or there is none.
/// Local.
ESKER_API esker_status esker_inq_last_kept(esker_dataset* ds, esker_kept_report* report);

/// The same for one field, in samples. Local. `*is_sparse` is 0, and all of `samples` are 0, if the step
/// stores all samples of the field, or none because it was not due. `samples` may be NULL.
ESKER_API esker_status esker_inq_last_kept_field(esker_dataset* ds, int field, int* is_sparse,
                                                 esker_stored_samples* samples);

/// The run so far: phases as min, mean and max over ranks, bytes, messages, memory. Collective. `*text` lives
/// until the next report; `text` may be NULL.
ESKER_API esker_status esker_report_text(esker_dataset* ds, const char** text);

/// The same as JSON. Collective. Of a dataset opened by esker_open_parallel: the member "tuning" says what
/// its reads with tune=auto tried, and what that gained; {} without it. The text in a file is what
/// tune=replay:FILE takes.
ESKER_API esker_status esker_report_json(esker_dataset* ds, const char** text);

// ---- Reading together (esker_open_parallel)

/// Requests what esker_get reads with these arguments; esker_read stores it in `buffer`, which must not be
/// used until then. Local. The next esker_read returns an error of this call again, on all ranks.
ESKER_API esker_status esker_request(esker_dataset* ds, int field, int64_t step, const int64_t* lo,
                                     const int64_t* extent, int level, void* buffer, int64_t buffer_bytes);

/// Requests all samples of a box in the grid, to memory of any layout, as in esker_put_strided; ghost cells
/// keep their values. Local. `type` is that of `data` and must be the field's.
ESKER_API esker_status esker_request_strided(esker_dataset* ds, int field, esker_type type, int64_t step,
                                             const int64_t* lo, const int64_t* extent, void* data,
                                             const int64_t* stride_bytes, int64_t component_stride_bytes);

/// Carries out the requests made since the last esker_read; a rank may have made none. Collective. After a
/// failure the requests are dropped, and the contents of their memory are undefined. Errors: those of
/// requests on any rank, ESKER_DATA_LOSS, ESKER_IO_ERROR, ESKER_OUT_OF_MEMORY, ESKER_MISMATCHED_CALL.
ESKER_API esker_status esker_read(esker_dataset* ds);

/// The cost of one esker_read; the same on all ranks.
typedef struct esker_read_report {
  int64_t data_bytes;          ///< samples that ranks received
  int64_t loaded_bytes;        ///< block data read from files for them
  double seconds;              ///< duration on the slowest rank
  int64_t aggregated;          ///< 1: some ranks loaded and sent to others; 0: each rank loaded its own
  int64_t readers;             ///< number of ranks that loaded
  int64_t buffer_bytes;        ///< memory for this on the rank that needed most
  int64_t most_loaded_bytes;   ///< share of loaded_bytes of the reader that loaded most
  int64_t least_loaded_bytes;  ///< share of the reader that loaded least
} esker_read_report;

/// The last esker_read that succeeded; all 0 if there is none. Local.
ESKER_API esker_status esker_inq_last_read(esker_dataset* ds, esker_read_report* report);

// ---- The contents of a dataset (read or written)

/// The number of dimensions. Local.
ESKER_API esker_status esker_inq_num_dims(esker_dataset* ds, int* num);

/// Name and size of a dimension. Local.
ESKER_API esker_status esker_inq_dim(esker_dataset* ds, int dim, const char** name, int64_t* size);

/// The number of a dimension by name. Local. Errors: ESKER_NOT_FOUND.
ESKER_API esker_status esker_inq_dim_id(esker_dataset* ds, const char* name, int* dim);

/// The number of grids. Local.
ESKER_API esker_status esker_inq_num_grids(esker_dataset* ds, int* num);

/// Name, number of axes and, x first, the dimensions of a grid (room for ESKER_MAX_RANK always suffices).
/// Local.
ESKER_API esker_status esker_inq_grid(esker_dataset* ds, int grid, const char** name, int* num_dims,
                                      int* dims);

/// The number of a grid by name. Local. Errors: ESKER_NOT_FOUND.
ESKER_API esker_status esker_inq_grid_id(esker_dataset* ds, const char* name, int* grid);

/// The mesh of a grid as esker_def_mesh takes it. Local. Arrays are filled, x first: `extent`, `origin` and
/// `spacing` have one element per axis (room for ESKER_MAX_RANK always suffices); `ratios` has num_levels - 1
/// times as many, so ask for `num_levels` first. Errors: ESKER_NOT_FOUND (the grid is not that of a mesh).
ESKER_API esker_status esker_inq_mesh(esker_dataset* ds, int grid, int* num_levels, int64_t* extent,
                                      int64_t* ratios, esker_centering* centering, double* origin,
                                      double* spacing);

/// Whether the levels of the mesh of a grid are nested by promise (1) or perhaps not (0), see
/// esker_def_nested. Local. Errors: ESKER_NOT_FOUND (the grid is not that of a mesh).
ESKER_API esker_status esker_inq_nested(esker_dataset* ds, int grid, int* nested);

/// One level of the mesh of a grid. Local. `extent`: its samples along each axis if it covers the domain;
/// `ratio`: sample i of the level is sample i * ratio of the grid, from which esker_get reads. Both have one
/// element per axis. Errors: ESKER_NOT_FOUND (the grid is not that of a mesh), ESKER_OUT_OF_RANGE (a level
/// that the mesh does not have).
ESKER_API esker_status esker_inq_mesh_level(esker_dataset* ds, int grid, int level, int64_t* extent,
                                            int64_t* ratio);

/// Coordinates of a grid along dimension `dim`, one per point. Local. Errors: ESKER_NOT_FOUND if there are
/// none.
ESKER_API esker_status esker_inq_coords(esker_dataset* ds, int grid, int dim, const double** values,
                                        int64_t* count);

/// The number of fields. Local.
ESKER_API esker_status esker_inq_num_fields(esker_dataset* ds, int* num);

/// A field as esker_def_field takes it; `*every` is ESKER_FIXED for fixed ones. Local.
ESKER_API esker_status esker_inq_field(esker_dataset* ds, int field, const char** name, int* grid,
                                       esker_type* type, int* components, int* every);

/// The number of a field by name, e.g. in an appended dataset. Local. Errors: ESKER_NOT_FOUND; the text
/// lists the names.
ESKER_API esker_status esker_inq_field_id(esker_dataset* ds, const char* name, int* field);

/// The index range of the field's grid. Local. The lower corner may differ from 0 in datasets of other
/// programs.
ESKER_API esker_status esker_inq_box(esker_dataset* ds, int field, int64_t* lo, int64_t* extent);

/// Number of committed steps and their time values. Local. The times of a dataset that is written live until
/// the next esker_end_step or esker_rewind.
ESKER_API esker_status esker_inq_steps(esker_dataset* ds, int64_t* num, const double** times);

/// The number of attributes of an object. Local.
ESKER_API esker_status esker_inq_num_atts(esker_dataset* ds, esker_object object, int number, int* num);

/// The name of one attribute, 0 ... num - 1, in the order of names. Local.
ESKER_API esker_status esker_inq_att_name(esker_dataset* ds, esker_object object, int number, int position,
                                          const char** name);

/// Type and number of values of an attribute; for a text the number of bytes without the NUL. Local. Errors:
/// ESKER_NOT_FOUND.
ESKER_API esker_status esker_inq_att(esker_dataset* ds, esker_object object, int number, const char* name,
                                     esker_att_type* type, int64_t* count);

/// A text attribute; a list of texts is one text, joined by newlines. Local. Errors: ESKER_NOT_FOUND;
/// ESKER_INVALID_ARGUMENT for another type.
ESKER_API esker_status esker_get_att_text(esker_dataset* ds, esker_object object, int number,
                                          const char* name, const char** text);

/// An attribute of integers. Local. Errors as above.
ESKER_API esker_status esker_get_att_int64(esker_dataset* ds, esker_object object, int number,
                                           const char* name, const int64_t** values, int64_t* count);

/// An attribute of reals. Local. Errors as above.
ESKER_API esker_status esker_get_att_double(esker_dataset* ds, esker_object object, int number,
                                            const char* name, const double** values, int64_t* count);

// ---- Reading (esker_open, esker_open_parallel): all functions are local

/// Whether (1 or 0) the field was written at that step, 0 ... number of steps - 1; always 1 for fixed fields.
/// Local.
ESKER_API esker_status esker_inq_has(esker_dataset* ds, int field, int64_t step, int* has);

/// What lossy compression changed in the field at a step (as for esker_get), over all samples of the grid:
/// the largest absolute error and the RMS error; in a copy of a lossy field also what was changed before (its
/// attribute prior_errors). Local. They are bounds: no true error is larger. `*is_lossy` is 0, and both are
/// 0, if nothing was lost. Both are NaN if a program stored the field that does not record errors. `largest`
/// and `rms` may be NULL. Errors: ESKER_NOT_FOUND (not written at that step), ESKER_OUT_OF_RANGE,
/// ESKER_DATA_LOSS.
ESKER_API esker_status esker_inq_errors(esker_dataset* ds, int field, int64_t step, int* is_lossy,
                                        double* largest, double* rms);

/// What a sparse step stores of a field (`step` as for esker_get). Local; opens no block file. `*is_sparse`
/// is 0, and all of `samples` are 0, if the step stores all samples of the field. `samples` may be NULL.
/// Errors: ESKER_NOT_FOUND (not written at that step), ESKER_OUT_OF_RANGE, ESKER_DATA_LOSS.
ESKER_API esker_status esker_inq_stored_samples(esker_dataset* ds, int field, int64_t step, int* is_sparse,
                                                esker_stored_samples* samples);

/// The patches that a step put on the mesh of a field (`step` as for esker_get): by ascending level, then by
/// lower corners, slowest axis first. Local; reads no samples. `*num` is their number, 0 if the grid of the
/// field is not that of a mesh. Arrays are filled, patch by patch: `levels` has one element per patch, `lo`
/// and `extent` have one per axis of each patch, x first, in indices of its level. Each may be NULL, so ask
/// for `num` first. Errors: ESKER_NOT_FOUND (not written at that step), ESKER_OUT_OF_RANGE, ESKER_DATA_LOSS.
ESKER_API esker_status esker_inq_patches(esker_dataset* ds, int field, int64_t step, int64_t* num,
                                         int* levels, int64_t* lo, int64_t* extent);

/// What these patches are of each level of the mesh. Local. `*num_levels` is 0 without a mesh. Arrays are
/// filled with one element per level: how many `patches` it has, their `samples`, and how many of these finer
/// patches cover (`covered`), so that they are not stored; parts of cells add up. Each may be NULL, so ask
/// for `num_levels` first. The same errors.
ESKER_API esker_status esker_inq_level_covers(esker_dataset* ds, int field, int64_t step, int* num_levels,
                                              int64_t* patches, int64_t* samples, int64_t* covered);

/// Coordinates as esker_def_coords_values takes them. Local. `*type` and `*count` may be NULL.
ESKER_API esker_status esker_inq_coords_values(esker_dataset* ds, int grid, int dim, esker_type* type,
                                               const void** values, int64_t* count);

/// The name of the times in netCDF files, and their type. Local.
ESKER_API esker_status esker_inq_time(esker_dataset* ds, const char** name, esker_type* type);

/// The number of scalars. Local.
ESKER_API esker_status esker_inq_num_scalars(esker_dataset* ds, int* num);

/// One scalar; `*value` points to one number, or to a text if `*type` is ESKER_TEXT. Local.
ESKER_API esker_status esker_inq_scalar(esker_dataset* ds, int scalar, const char** name, esker_type* type,
                                        const void** value);

/// The numbers of an attribute in their type. Local. Errors: ESKER_NOT_FOUND, ESKER_INVALID_ARGUMENT (it is a
/// text).
ESKER_API esker_status esker_get_att_values(esker_dataset* ds, esker_object object, int number,
                                            const char* name, esker_type* type, const void** values,
                                            int64_t* count);

/// The finest level of the field's grid; each coarser level has half the resolution along one axis. Local.
ESKER_API esker_status esker_inq_max_level(esker_dataset* ds, int field, int* level);

/// The bits per sample that are stored of a field, see esker_def_stored_bits; 0: its samples are stored as
/// they are. Local.
ESKER_API esker_status esker_inq_stored_bits(esker_dataset* ds, int field, int* bits);

/// From now on esker_get and esker_request read only the leading `bits` of each sample of a field with stored
/// bits, as zfp at that rate gives them; 0: all. Local. Errors: ESKER_INVALID_ARGUMENT (a field without
/// stored bits), ESKER_OUT_OF_RANGE.
ESKER_API esker_status esker_set_bits(esker_dataset* ds, int field, int bits);

/// From now on esker_get and esker_request fill missing samples of a field in this way; ESKER_MISSING_AUTO at
/// first. Local. Errors: ESKER_INVALID_ARGUMENT (another number; ESKER_MISSING_NAN for a field of integers).
ESKER_API esker_status esker_set_missing(esker_dataset* ds, int field, esker_missing missing);

/// From now on esker_get, esker_request and esker_inq_selection take one level of a mesh, also under finer
/// ones: boxes, levels and samples are then in the indices of `mesh_level` (0: the coarsest).
/// ESKER_ALL_MESH_LEVELS, at first: the finest level at each place. Local. Errors: ESKER_INVALID_ARGUMENT (no
/// mesh, or no such level), ESKER_UNSUPPORTED (the dataset does not store whole levels).
ESKER_API esker_status esker_set_mesh_level(esker_dataset* ds, int field, int mesh_level);

/// Whether esker_set_mesh_level can select levels of a field (1) or not (0): the field is on a mesh, and the
/// dataset stores levels whole. Local.
ESKER_API esker_status esker_inq_whole_levels(esker_dataset* ds, int field, int* whole);

/// The samples that esker_get reads with these arguments: origin + i * stride, 0 <= i < count, per axis.
/// Local. The samples of a level are aligned to index 0 of the grid, not to the box; a count of 0 means that
/// none is in the box. Errors: those of esker_get for its arguments.
ESKER_API esker_status esker_inq_selection(esker_dataset* ds, int field, int64_t step, const int64_t* lo,
                                           const int64_t* extent, int level, int64_t* origin, int64_t* stride,
                                           int64_t* count);

/// Reads the samples of levels 0 ... `level` that lie in the box to `buffer`: dense, x fastest, components
/// together, in the field's type. Local. `step` counts from 0, a negative one from the end (ESKER_LAST_STEP);
/// `lo` and `extent` both NULL: the whole grid; `level` ESKER_FULL_LEVEL: every sample. `buffer_bytes` is
/// exactly the product of esker_inq_selection's counts, components and esker_type_bytes. Samples that
/// are not stored get the value that esker_set_missing chooses. Errors: ESKER_OUT_OF_RANGE (a box, step or
/// level outside the dataset), ESKER_NOT_FOUND (not written at that step), ESKER_DATA_LOSS, ESKER_IO_ERROR.
ESKER_API esker_status esker_get(esker_dataset* ds, int field, int64_t step, const int64_t* lo,
                                 const int64_t* extent, int level, void* buffer, int64_t buffer_bytes);

/// The level map: for each sample that esker_get reads with these arguments, in the same order, the finest
/// level that is stored at its place with all coarser ones; -1 where the coarsest is not stored, even if
/// finer ones are. esker_inq_max_level everywhere, unless the step is sparse. Local; opens no block file.
/// `count` is exactly the product of esker_inq_selection's counts. Errors: those of esker_inq_selection,
/// ESKER_INVALID_ARGUMENT (another `count`), ESKER_DATA_LOSS.
ESKER_API esker_status esker_get_levels(esker_dataset* ds, int field, int64_t step, const int64_t* lo,
                                        const int64_t* extent, int level, int8_t* levels, int64_t count);

/// One .idx of a dataset: the fields of a grid that vary in time, or its fixed fields.
typedef struct esker_part {
  const char* name;     ///< the grid's name, with "_fixed" appended for fixed fields
  const char* path;     ///< of its .idx, or of the file that holds all parts
  const char* bitmask;  ///< of the HZ order, as in the .idx
  int64_t num_fields;   ///< see esker_inq_part_field
  int64_t rank;         ///< number of axes
  int64_t lo[5];        ///< lower corner of its box
  int64_t extent[5];
  int64_t bits_per_block;
  int64_t blocks_per_file;
  int64_t num_blocks;  ///< existing blocks per field and step
  int64_t num_steps;   ///< 1 for fixed fields
} esker_part;

/// The number of .idx files of the dataset. Local.
ESKER_API esker_status esker_inq_num_parts(esker_dataset* ds, int* num);

/// One of these files. Local.
ESKER_API esker_status esker_inq_part(esker_dataset* ds, int part, esker_part* info);

/// The name of a field of a part. Local.
ESKER_API esker_status esker_inq_part_field(esker_dataset* ds, int part, int position, const char** name);

/// The number of warnings of opening: damage in files that are not needed to read the samples. Local.
ESKER_API esker_status esker_inq_num_warnings(esker_dataset* ds, int* num);

/// One of the warnings. Local.
ESKER_API esker_status esker_inq_warning(esker_dataset* ds, int number, const char** text);

/// Number and bytes of the block files of all committed steps. Local. Queries the system for every file.
ESKER_API esker_status esker_inq_storage(esker_dataset* ds, int64_t* files, int64_t* bytes);

/// The counts of esker_verify.
typedef struct esker_verify_report {
  int64_t findings;              ///< available from esker_inq_finding: the first 1000
  int64_t errors;                ///< 0: the dataset is good
  int64_t warnings;              ///< no committed data are lost
  int64_t steps;                 ///< committed
  int64_t files;                 ///< block files that were opened
  int64_t blocks;                ///< blocks that were read, all of them
  int64_t bytes;                 ///< size of these blocks
  int64_t blocks_with_checksum;  ///< how many of these have a checksum
  int64_t blocks_left_out;       ///< absent, in a dataset of another writer
} esker_verify_report;

/// Is given the part done, 0 ... 1, from time to time, and `context` of esker_verify. Must not leave by
/// longjmp or an exception.
typedef void (*esker_progress)(double done, void* context);

/// Reads every block of every committed step, and reports what is damaged and what killed runs left behind.
/// Local; needs memory for one block. `progress` may be NULL. Damage is a finding, not an error of the call.
/// Errors: those of esker_open.
ESKER_API esker_status esker_verify(esker_dataset* ds, esker_progress progress, void* context,
                                    esker_verify_report* report);

/// A finding of the last esker_verify: error (1) or warning (0), where, what. Local. The strings live until
/// the next esker_verify.
ESKER_API esker_status esker_inq_finding(esker_dataset* ds, int64_t number, int* is_error, const char** path,
                                         const char** text);

// ---- Decompositions: how models split a grid over ranks

/// A split of a grid of `num_dims` axes into boxes, by cuts along each axis. Parts are numbered from 0, x
/// fastest: rank r holds part r. Parts may be empty where an axis has fewer points than parts.
typedef struct esker_decomposition esker_decomposition;

/// `parts[a]` parts along axis a, whose sizes differ by at most one point, larger parts first. Local.
/// `*out` is freed by esker_decomposition_free, also after an error, whose text it keeps; NULL only without
/// memory.
ESKER_API esker_status esker_decompose_even(int num_dims, const int64_t* extent, const int64_t* parts,
                                            esker_decomposition** out);

/// `parts[a]` parts along axis a with the given boundaries. Local. `cuts` lists those of x, then those of y
/// and so on: parts[a] + 1 ascending indices each, from 0 to the extent of the axis. `*out` as above.
ESKER_API esker_status esker_decompose_cuts(int num_dims, const int64_t* parts, const int64_t* cuts,
                                            esker_decomposition** out);

/// The split of PISM and PETSc: the x-y plane over `num_ranks`, as square as the number of ranks allows,
/// weighted by the aspect of the grid; further axes are not split. Local. `*out` as above.
ESKER_API esker_status esker_decompose_pism(int num_dims, const int64_t* extent, int num_ranks,
                                            esker_decomposition** out);

/// Boxes as close to cubes as `num_ranks` allows. Local. `*out` as above.
ESKER_API esker_status esker_decompose_near_cubic(int num_dims, const int64_t* extent, int num_ranks,
                                                  esker_decomposition** out);

/// Number of axes, number of parts, and number of parts along each axis (room for ESKER_MAX_RANK always
/// suffices). Local.
ESKER_API esker_status esker_decomposition_inq(esker_decomposition* decomposition, int* num_dims,
                                               int64_t* num_parts, int64_t* parts);

/// The boundaries along one axis, 0 ... num_dims - 1: one more than parts. Local. They live until the
/// decomposition is freed.
ESKER_API esker_status esker_decomposition_inq_cuts(esker_decomposition* decomposition, int axis,
                                                    const int64_t** cuts, int64_t* count);

/// The box of a part. Local. Errors: ESKER_OUT_OF_RANGE.
ESKER_API esker_status esker_decomposition_inq_box(esker_decomposition* decomposition, int64_t part,
                                                   int64_t* lo, int64_t* extent);

/// The part that holds the sample at `index`. Local. Errors: ESKER_OUT_OF_RANGE outside of the grid.
ESKER_API esker_status esker_decomposition_inq_part(esker_decomposition* decomposition, const int64_t* index,
                                                    int64_t* part);

/// The text of the last call with `decomposition` that failed, or "". Local.
ESKER_API const char* esker_decomposition_message(const esker_decomposition* decomposition);

/// Frees the decomposition. NULL is ignored. Local.
ESKER_API void esker_decomposition_free(esker_decomposition* decomposition);

// ---- Planning

/// The minimum, maximum and mean over the ranks.
typedef struct esker_over_ranks {
  int64_t min;
  int64_t max;
  double mean;
} esker_over_ranks;

/// What writing a step would move and need.
typedef struct esker_plan_report {
  int64_t ranks;
  int64_t writers;      ///< ranks that write
  int64_t aggregators;  ///< ranks that collect samples; some may have none
  int64_t files;
  int64_t blocks;               ///< of all fields
  int64_t data_bytes;           ///< samples
  int64_t stored_bytes;         ///< data in files, including padding, without headers
  int64_t rounds;               ///< of exchange and store, on the rank that has most
  int64_t burst_bytes;          ///< samples per aggregator, the mean
  int64_t boxes;                ///< boxes that hold samples after restructuring
  int64_t receivers;            ///< ranks that receive boxes
  double volume_ratio;          ///< samples per volume of these boxes
  esker_over_ranks messages;    ///< number of messages to other ranks
  esker_over_ranks senders;     ///< ranks that send to one rank in a round, at most
  esker_over_ranks sent_bytes;  ///< to other ranks
  esker_over_ranks written_bytes;
  esker_over_ranks buffer_bytes;  ///< memory of the exchange
} esker_plan_report;

/// Plans the first step of a dataset with the grids and fields of `ds` on `num_ranks` ranks, all of whose
/// fields are put. Local; nothing is written. `ds` is written, with all definitions made, or read.
/// `splits` has one decomposition per grid, of the grid's axes. `options` NULL: built-in values. `*text` is a
/// report of a few lines, which lives until the next report. Errors: ESKER_INVALID_ARGUMENT (a decomposition
/// is not of its grid, or has more parts than ranks), ESKER_OUT_OF_MEMORY (the memory budget is too small).
ESKER_API esker_status esker_plan_step(esker_dataset* ds, int num_ranks,
                                       const esker_decomposition* const* splits, int num_splits,
                                       const esker_options* options, esker_plan_report* report,
                                       const char** text);

// ---- Views: the samples that a camera sees

/// A perspective or orthographic camera. The matrix is row-major and maps a point of the world to clip
/// coordinates, as in OpenGL: (x, y, z, w) = matrix * (point, 1); -w <= x, y, z <= w is visible.
typedef struct esker_camera {
  double model_view_projection[16];
  int64_t width_pixels, height_pixels;  ///< of the viewport
} esker_camera;

/// The positions of samples in the world: index 0 is at `origin`, the next along axis a at origin + step[a].
typedef struct esker_placement {
  double origin[3];
  double step[3][3];
} esker_placement;

/// What to read for a view.
typedef struct esker_view {
  int64_t visible;  ///< 0: no sample is visible, and the other members mean nothing
  int64_t level;    ///< for esker_get
  double pixels;    ///< largest distance on the screen between neighboring samples of that level
  int64_t lo[5];    ///< the visible samples, with their neighbors for interpolation
  int64_t extent[5];
} esker_view;

/// A perspective camera at `eye` that looks at `target`; `up` points upwards in the picture. Local. `near`
/// and `far` are distances from the eye, 0 < near < far. Vectors have three components.
ESKER_API esker_status esker_camera_perspective(const double* eye, const double* target, const double* up,
                                                double field_of_view_degrees, double near_distance,
                                                double far_distance, int64_t width_pixels,
                                                int64_t height_pixels, esker_camera* camera);

/// An orthographic camera; `height` is that of the picture in units of the world. Local.
ESKER_API esker_status esker_camera_orthographic(const double* eye, const double* target, const double* up,
                                                 double height, double near_distance, double far_distance,
                                                 int64_t width_pixels, int64_t height_pixels,
                                                 esker_camera* camera);

/// The placement of a field's grid by its coordinates, evenly spaced from the first to the last; by indices
/// along dimensions without coordinates. Local.
ESKER_API esker_status esker_inq_placement(esker_dataset* ds, int field, esker_placement* placement);

/// The box of samples in the camera's view, and the coarsest level whose samples are at most
/// `pixels_per_sample` (1 is usual) pixels apart. Local. `placement` NULL: as esker_inq_placement. So that
/// the level does not flicker, `previous_level` (the one shown before, or ESKER_FULL_LEVEL: none) is kept
/// while its samples are up to `hysteresis` (>= 1; 1.25 is usual) times farther apart, or nearer. Errors:
/// ESKER_UNSUPPORTED (more than three axes), ESKER_INVALID_ARGUMENT.
ESKER_API esker_status esker_choose_view(esker_dataset* ds, int field, const esker_camera* camera,
                                         const esker_placement* placement, double pixels_per_sample,
                                         int previous_level, double hysteresis, esker_view* view);

#ifdef __cplusplus
}
#endif

#endif
