// Hdf5Dataset: an HDF5 file opened for reading, NetCDF-4 or plain, of Esker or of any other program.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "formats/netcdf/hdf5/source.h"
#include "formats/netcdf/model/one_file_dataset.h"

namespace esker::hdf5 {

class Hdf5Dataset final : public OneFileDataset {
 public:
  /// Holds the committed steps, also of a file that a killed run left: a journal beside it counts as carried
  /// out. Nothing is written. Errors: kNotFound, kDataLoss (damaged), kIoError.
  static Result<Hdf5Dataset> open(const std::shared_ptr<Store>& store, const std::string& path);

  [[nodiscard]] bool has(int field, Index step) const override;
  /// A chunk; where it takes the library to read, as many as make a call of it worth its cost.
  [[nodiscard]] ReadUnit read_unit(int field, int level) const override;
  [[nodiscard]] Result<StorageInfo> storage() const override;
  Status verify(VerifyReport& report, const std::function<void(double)>& progress) const override;

 private:
  Status read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                      ReadCounters& counters) const override;
  Hdf5Dataset(std::shared_ptr<Store> store, const std::string& path, Source source)
      : OneFileDataset(std::move(store), path), source_(std::move(source)) {}
  /// Whether the file can hold as many values as the field has.
  [[nodiscard]] bool fits_file(int field) const;
  [[nodiscard]] const StoredVariable& variable_of(int field) const {
    return of_field_[static_cast<std::size_t>(field)];
  }
  [[nodiscard]] Result<Index> verify_values(int field) const;
  [[nodiscard]] bool reads_past_library(int field) const;
  /// Where the chunks of a field stand that the step is in; null: that is for the library to know. Whoever
  /// reads a second field of a step gets those of the next fields, too: opening the file is most of the cost.
  using Places = std::shared_ptr<const std::vector<Index>>;
  Result<Places> places_of(int field, Index step, const std::string& mark) const;
  /// False if that cannot be, or a writer has changed the file meanwhile: `out` holds anything then.
  Result<bool> read_past_library(int field, Index step, const Lattice& selection, std::byte* out,
                                 ReadCounters& counters) const;
  Status read_at(const std::vector<Index>& places, int field, Index step, const Lattice& selection,
                 std::byte* out, ReadCounters& counters) const;

  /// A field, and the record of chunks that a step is in; -1: there are no such.
  using PlacesKey = std::pair<int, Index>;
  [[nodiscard]] PlacesKey places_key(int field, Index step) const;
  [[nodiscard]] Source::PlacesOf places_wanted(int field, Index step) const;
  [[nodiscard]] std::vector<int> fields_to_look_up(int field, Index step, const std::string& mark) const;

  struct KnownPlaces {
    std::mutex mutex;
    std::string mark;                                  // of the file, when they were found
    std::map<PlacesKey, Places> of_field;
  };

  Source source_;
  std::unique_ptr<KnownPlaces> known_ = std::make_unique<KnownPlaces>();
  std::vector<StoredVariable> of_field_;
  Index end_bytes_ = 0;
};

}  // namespace esker::hdf5
