// VtkhdfDataset: a series of VTKHDF files that Esker wrote, opened for reading.
//
// A field is the composite of all levels, in the index space of the finest one: each sample is that of the
// finest patch over it. Its level fields are the levels themselves.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "formats/vtkhdf/step_file.h"
#include "formats/vtkhdf/vtkhdf_step_layouts.h"
#include "model/level_fields.h"
#include "read/lattice_dataset.h"

namespace esker::vtkhdf {

class VtkhdfDataset final : public LatticeDataset {
 public:
  /// Errors: kNotFound, kDataLoss (not a series that Esker wrote, or damaged), kIoError.
  static Result<VtkhdfDataset> open(const std::shared_ptr<Store>& store, const std::string& path);

  [[nodiscard]] const Field& field_at(int field) const override;
  [[nodiscard]] Result<int> level_field(int field, int level) const override;
  [[nodiscard]] Box box(int field) const override;
  Status read(int field, Index step, const ReadTarget& target, const ReadContext& context) const override;
  [[nodiscard]] Result<std::vector<MeshBox>> patches(int field, Index step) const override;
  Status stored_levels(int field, Index step, const Lattice& samples,
                       std::span<std::int8_t> out) const override;
  [[nodiscard]] ReadUnit read_unit(int field, int level) const override;
  [[nodiscard]] Result<StorageInfo> storage() const override;
  Status verify(VerifyReport& report, const std::function<void(double)>& progress) const override;

 private:
  VtkhdfDataset(std::shared_ptr<Store> store, std::string path) : LatticeDataset(std::move(store), path) {}
  Status read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                      ReadCounters& counters) const override;
  [[nodiscard]] Result<Index> stored_bytes() const override;

  struct OpenStep {
    std::unique_ptr<File> file;
    std::string path;
    StepFile contents;
    BoxesOfLevels boxes;
  };
  using SharedStep = std::shared_ptr<const OpenStep>;
  [[nodiscard]] Result<SharedStep> open_step(Index step) const;
  [[nodiscard]] Result<SharedStep> step_of(int field, Index step) const;
  /// The levels that a field has samples of, from the coarsest, and their ratio to its grid.
  [[nodiscard]] std::pair<int, int> levels_of(int field) const;
  [[nodiscard]] int number_of(int field, int level) const;
  [[nodiscard]] Point ratio_of(int field, int level) const;
  static std::vector<Box> boxes_of(const OpenStep& step, int level);
  [[nodiscard]] bool is_level(int field) const { return field >= std::ssize(schema.fields()); }
  [[nodiscard]] const LevelField& level_at(int field) const {
    return levels_[static_cast<std::size_t>(field) - schema.fields().size()];
  }

  std::string stem_;
  std::vector<LevelField> levels_;
  struct Known {
    std::mutex mutex;
    std::vector<std::pair<Index, SharedStep>> steps;  // most recent last
  };
  std::unique_ptr<Known> known_ = std::make_unique<Known>();
};

}  // namespace esker::vtkhdf
