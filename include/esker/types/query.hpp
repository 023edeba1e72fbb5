// Query: which samples of a dataset to read. ReadOptions, ReadStatistics: how to read them, and the cost.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "esker/types/box.hpp"

namespace esker {

/// What to read: the samples of one field at one step that lie in `box` and belong to levels <= `level`, or
/// those selected by `stride`.
struct Query {
  std::string field;
  Index step = -1;  ///< position in steps(), negative from the end; fixed fields ignore it
  /// Half open, x first, in samples of the full grid, within the grid; absent: all of the grid.
  std::optional<Box> box = {};
  std::optional<int> level = {};  ///< 0 ... max_level(); absent: max_level(), every sample
  /// Selects the samples whose index is a multiple of `stride` on each axis, in place of those of a level.
  /// `level` must be absent; the coarsest level that contains all of them is read.
  std::optional<Point> stride = {};
  /// The leading bits of each sample that are read, from 1 to the field's stored bits, as zfp at that rate
  /// gives them; absent: all. An error for fields without stored bits.
  std::optional<int> bits = {};
  /// Samples of levels below `start_level` are already in the caller's memory and are not read again.
  int start_level = 0;
  /// Of a field on a mesh in a dataset that stores whole levels: the level of the mesh that is read, with
  /// what finer ones cover, in its own indices: `box`, `level` and the result are then those of this level.
  /// Samples outside its patches have the fill value. Absent: the finest level at each place.
  std::optional<int> mesh_level = {};
};

/// The value of samples whose block is missing from the dataset.
enum class MissingBlocks {
  /// kNearest where a sparse step leaves blocks out, kFill where other programs may; kDataLoss where Esker
  /// wrote the block.
  kAuto,
  kFill,     ///< the field's _FillValue, if it has one, else its default value
  kNearest,  ///< the nearest stored sample of a coarser level; if there is none, as kFill
  /// Between the coarser samples on both sides, axis by axis, as stored or themselves interpolated; beyond
  /// the
  /// last one, the line through the last two. Exact where the field is linear.
  kLinear,
  kNan,  ///< NaN; fields of float32 and float64 only
};

/// What a read cost.
struct ReadStatistics {
  Index blocks = 0;          ///< read completely or in part; 0 for files without blocks, like the next two
  Index cached_blocks = 0;   ///< found in the cache
  Index missing_blocks = 0;  ///< not in the dataset
  Index reads = 0;           ///< calls to the file system or the format's library
  Index bytes = 0;           ///< read by these calls
  double seconds = 0;
};

/// How to carry out a query. All members have defaults.
struct ReadOptions {
  MissingBlocks missing = MissingBlocks::kAuto;
  /// If not null: one byte per sample of the result, in the same order, set to 1 if the sample is stored,
  /// else to 0.
  std::uint8_t* is_stored = nullptr;
  /// Called from time to time, by the calling thread, with the fraction done. If it returns false, the read
  /// ends with kCancelled and the contents of `out` are undefined.
  std::function<bool(double)> progress = {};
  ReadStatistics* statistics = nullptr;  ///< set if the read succeeds
  /// The CUDA stream (CUstream, cudaStream_t) that uses memory of a GPU which is filled: after what it has to
  /// do now. Null: the legacy default stream. The samples are there when the read returns.
  void* stream = nullptr;
};

}  // namespace esker
