// VtkhdfDataset: a series of VTKHDF files that Esker wrote, opened for reading.
//
// A field is the composite of all levels, in the index space of the finest one: each sample is that of the
// finest patch over it. Its level fields are the levels themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/vtkhdf/run_sums.h"
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
    std::unique_ptr<const Runs> runs;
  };
  using SharedStep = std::shared_ptr<const OpenStep>;
  [[nodiscard]] Result<SharedStep> open_step(Index step) const;
  [[nodiscard]] Result<SharedStep> step_of(int field, Index step) const;
  /// kDataLoss unless the step has the patches and checksums that the series records.
  [[nodiscard]] Status check_sum(const OpenStep& opened, Index step) const;
  /// kDataLoss unless a run of a level field has the recorded checksum, if there is one.
  Status check_run(const OpenStep& opened, std::size_t level_field, const Runs::Run& run) const;
  /// Checks the runs that have samples of a lattice.
  Status check_runs(const OpenStep& opened, int field, const Lattice& samples) const;
  void verify_runs(const OpenStep& opened, std::size_t level_field, Findings& findings,
                   VerifyReport& report) const;
  /// Calls visit for the patches of a level that meet the lattice. Stops at an error.
  using VisitPatch = std::function<Status(Index number, const Box& box, const Box& indices)>;
  Status for_each_patch(const OpenStep& opened, int field, int level, const Lattice& samples,
                        const VisitPatch& visit) const;
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
  std::vector<std::optional<std::uint64_t>> sums_;  // of steps
  struct Known {
    std::mutex mutex;
    std::vector<std::pair<Index, SharedStep>> steps;  // most recent last
  };
  std::unique_ptr<Known> known_ = std::make_unique<Known>();
};

}  // namespace esker::vtkhdf
