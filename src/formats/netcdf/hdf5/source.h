// Source: an HDF5 file of any program, opened for reading. Neither the file nor anything next to it is
// changed.
//
// Each call opens the file again with the HDF5 library and sees its committed state. A journal next to the
// file (docs/formats/netcdf4.md, section 3) is treated as applied, in memory. If a writer has changed the
// file during a call, the call starts over. The library serves one call at a time, so calls from several
// threads wait for each other.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/hdf5/overlay.h"
#include "store/store.h"

namespace esker::hdf5 {

class VirtualFile;

/// The maximum number of bytes that one byte of a deflated file can expand to (zlib's documentation).
inline constexpr Index kMostInflation = 1032;

/// The same of a file with zstd or zfp: a zstd block of 128 KiB that repeats one byte takes 4 bytes.
inline constexpr Index kMostInflationByPlugIn = Index{1} << 16;

/// Where and how the values of a variable are stored.
struct StoredVariable {
  std::string path;            ///< path in the file
  std::vector<Index> extents;  ///< slowest axis first; an unlimited one can be shorter than the dimension
  std::vector<Index> chunk;    ///< extents of a chunk; empty if not chunked
  bool is_plain = false;       ///< values are stored as they are in this machine's memory
  Index most_inflation = kMostInflation;  ///< of its filters
  bool is_virtual = false;                ///< the values are in the parts of the dataset (parts.h)
};

/// The Esker dataset that a file holds.
struct Description {
  Schema schema;
  std::vector<double> times;             ///< of the committed steps
  std::vector<StoredVariable> of_field;  ///< [position in schema.fields()]
  bool is_ours = false;                  ///< made by Esker
  Index end_bytes = 0;                   ///< file length according to its superblock
  std::string parts;                     ///< describes the parts of the dataset; empty: it is one file
  std::vector<std::string> warnings;     ///< what is left out
};

/// A selection of values of a variable: start + i * stride, i < count, per axis, slowest axis first.
struct Slab {
  std::vector<Index> start, stride, count;
};

class Source {
 public:
  /// Errors: kNotFound, kIoError.
  static Result<Source> open(const std::shared_ptr<Store>& store, const std::string& path);

  /// kDataLoss: the file is damaged, or shorter than it claims.
  Result<Description> describe() const;

  /// Reads to `out`, row-major, as samples of that type; `dataset` is StoredVariable::path. Values past the
  /// extents read as the fill value, except on the first axis. kDataLoss: the file is damaged, or has changed
  /// since it was described.
  Status read(const std::string& dataset, SampleType type, const Slab& slab, std::byte* out) const;

  /// Bytes that the values of a variable (StoredVariable::path) take in the file. kDataLoss as for read().
  [[nodiscard]] Result<Index> stored_bytes(const std::string& dataset) const;

  /// File offsets of the values of a plain variable, chunk by chunk, fastest axis first: of those with index
  /// `record` on the first axis, or of all (-1). A variable that is not chunked counts as one chunk. Nothing
  /// if some are not stored, or are not in place yet because a journal is next to the file. Offsets are valid
  /// as long as superblock() does not change. kDataLoss as for read().
  using Places = std::optional<std::vector<Index>>;
  Result<Places> places(const StoredVariable& variable, SampleType type, Index record) const;
  /// The same for several variables at once, which costs little more than one. The error is that of the first
  /// variable; other damaged variables give nothing.
  struct PlacesOf {
    const StoredVariable* variable = nullptr;
    SampleType type = SampleType::kFloat64;
    Index record = -1;
  };
  Result<std::vector<Places>> places(std::span<const PlacesOf> wanted) const;
  /// Changes whenever a step is committed or undone; committed values keep their offsets.
  [[nodiscard]] Result<std::string> superblock() const;
  [[nodiscard]] const File& file() const { return *file_; }

  /// Whether a journal is next to the file.
  [[nodiscard]] Result<bool> has_journal() const;
  [[nodiscard]] Result<Index> size_bytes() const { return file_->size_bytes(); }

 private:
  using Action = std::function<Status(VirtualFile&, Index end_bytes, bool has_journal)>;
  Status run(const Action& action) const;

  std::shared_ptr<Store> store_;
  std::string path_;
  std::unique_ptr<File> file_;
};

}  // namespace esker::hdf5
