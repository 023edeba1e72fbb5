// Source: an HDF5 file opened for reading, whoever wrote it. Nothing of it, nor beside it, is changed.
//
// Each call opens the file anew, by the HDF5 library, as it is committed: a journal beside it
// (docs/formats/netcdf4.md, section 3) counts as carried out, in memory; and if meanwhile a writer has
// changed the file, the call begins again. The library does one thing at a time, so calls from several
// threads wait for each other.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "esker/schema.hpp"
#include "esker/status.hpp"
#include "formats/netcdf/hdf5/overlay.h"
#include "store/store.h"

namespace esker::hdf5 {

class VirtualFile;

/// Bytes that one byte of a file can hold at most, by deflate (zlib's documentation).
inline constexpr Index kMostInflation = 1032;

/// Where and how the values of a variable are stored.
struct StoredVariable {
  std::string path;  ///< in the file
  std::vector<Index>
      extents;               ///< the slowest axis first; along an unlimited one also less than the dimension
  std::vector<Index> chunk;  ///< of a chunk; empty: not in chunks
  bool is_plain = false;     ///< values stand in the file as they are in this machine's memory
};

/// A dataset of Esker's, that a file holds.
struct Description {
  Schema schema;
  std::vector<double> times;             ///< of the committed steps
  std::vector<StoredVariable> of_field;  ///< [position in schema.fields()]
  bool is_ours = false;                  ///< made by Esker
  Index end_bytes = 0;                   ///< of the file, by what it says itself
  std::vector<std::string> warnings;     ///< what is left out
};

/// Which values of a variable: start + i * stride, i < count, per axis; the slowest axis first.
struct Slab {
  std::vector<Index> start, stride, count;
};

class Source {
 public:
  /// Errors: kNotFound, kIoError.
  static Result<Source> open(const std::shared_ptr<Store>& store, const std::string& path);

  /// kDataLoss: the file is damaged, or not as long as it says.
  Result<Description> describe() const;

  /// To `out`, row-major, as samples of that type; `dataset` is StoredVariable::path. What lies beyond the
  /// extents on another axis than the first reads as the fill value. kDataLoss: damaged, or not what it was
  /// when it was described.
  Status read(const std::string& dataset, SampleType type, const Slab& slab, std::byte* out) const;

  /// Where the values of a plain variable begin in the file, chunk by chunk, the fastest axis first: of those
  /// with index `record` of the first axis, or of all of them (-1). A variable that is not in chunks is one.
  /// Nothing if some are not stored, or not in place yet because a journal is beside the file.
  /// They hold as long as mark() stays the same. kDataLoss as for read().
  using Places = std::optional<std::vector<Index>>;
  Result<Places> places(const StoredVariable& variable, SampleType type, Index record) const;
  /// The same for several at once, which costs little more than one. An error is that of the first; of others
  /// that are damaged there is nothing.
  struct PlacesOf {
    const StoredVariable* variable = nullptr;
    SampleType type = SampleType::kFloat64;
    Index record = -1;
  };
  Result<std::vector<Places>> places(std::span<const PlacesOf> wanted) const;
  /// Changes whenever a step is committed, or taken back; values that it committed stand where they stood.
  [[nodiscard]] Result<std::string> mark() const;
  [[nodiscard]] const File& file() const { return *file_; }

  /// Whether a journal is beside the file.
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
