// Hdf5Dataset: an HDF5 file opened for reading, NetCDF-4 or plain, written by Esker or by any other program.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "formats/netcdf/hdf5/source.h"
#include "read/lattice_dataset.h"

namespace esker::hdf5 {

class Hdf5Dataset final : public LatticeDataset {
 public:
  /// Holds the committed steps, also after a run was killed: a journal next to the file is treated as
  /// applied. Nothing is written. Errors: kNotFound, kDataLoss (damaged), kIoError.
  static Result<Hdf5Dataset> open(const std::shared_ptr<Store>& store, const std::string& path);
  /// The same for a file that is open, and its description.
  static Result<Hdf5Dataset> make(const std::shared_ptr<Store>& store, const std::string& path, Source source,
                                  Description found);

  [[nodiscard]] bool has(int field, Index step) const override;
  /// One chunk; if the library has to read it, as many chunks as make one library call worth its cost.
  [[nodiscard]] ReadUnit read_unit(int field, int level) const override;
  Status verify(VerifyReport& report, const std::function<void(double)>& progress) const override;

 private:
  Status read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                      ReadCounters& counters) const override;
  [[nodiscard]] Result<Index> stored_bytes() const override { return source_.size_bytes(); }
  Hdf5Dataset(std::shared_ptr<Store> store, const std::string& path, Source source)
      : LatticeDataset(std::move(store), path), source_(std::move(source)) {}
  /// Whether the file is large enough for the values of the field.
  [[nodiscard]] bool fits_file(int field) const;
  [[nodiscard]] const StoredVariable& variable_of(int field) const {
    return of_field_[static_cast<std::size_t>(field)];
  }
  [[nodiscard]] Result<Index> verify_values(int field) const;
  [[nodiscard]] bool reads_past_library(int field) const;
  /// File offsets of the chunks of a field, for the record that contains the step; null if only the library
  /// knows them. A caller that reads a second field of a step also gets the offsets for the next fields,
  /// because opening the file is most of the cost.
  using Places = std::shared_ptr<const std::vector<Index>>;
  Result<Places> places_of(int field, Index step, const std::string& superblock) const;
  /// False if that is impossible, or if a writer has changed the file meanwhile; `out` is then unspecified.
  Result<bool> read_past_library(int field, Index step, const Lattice& selection, std::byte* out,
                                 ReadCounters& counters) const;
  Status read_at(const std::vector<Index>& places, int field, Index step, const Lattice& selection,
                 std::byte* out, ReadCounters& counters) const;

  /// A field and the record of chunks that contains a step; -1 if there is none.
  using PlacesKey = std::pair<int, Index>;
  [[nodiscard]] PlacesKey places_key(int field, Index step) const;
  [[nodiscard]] Source::PlacesOf places_wanted(int field, Index step) const;
  [[nodiscard]] std::vector<int> fields_to_look_up(int field, Index step,
                                                   const std::string& superblock) const;

  struct KnownPlaces {
    std::mutex mutex;
    std::string superblock;  // magic bytes of the file when the offsets were found
    std::map<PlacesKey, Places> of_field;
  };

  Source source_;
  std::unique_ptr<KnownPlaces> known_ = std::make_unique<KnownPlaces>();
  std::vector<StoredVariable> of_field_;
  Index end_bytes_ = 0;
};

}  // namespace esker::hdf5
