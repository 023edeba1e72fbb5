// The checksums of a step file. A run is a patch of a field, or a part of a large one: it is contiguous, so
// that the rank that stores it can compute its checksum, whatever rank that is.
//
//   /esker/sums                 XXH3-64 of each run, in the order in which the file has them
//   attribute run_bytes         a patch with more bytes is divided
//
// The series has, for each step, a checksum of the patches and of these sums.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "esker/types/mesh.hpp"
#include "esker/types/schema.hpp"
#include "formats/vtkhdf/vtkhdf_step_layouts.h"
#include "layout/packed_boxes.h"

namespace esker::vtkhdf {

inline constexpr Index kRunBytes = Index{1} << 20;
/// Of files that are read.
inline constexpr Index kLeastRunBytes = Index{1} << 16, kMostRunBytes = Index{1} << 30;

/// Where the runs of a step are.
class Runs {
 public:
  /// `stored`: [position in level_fields()], whether the file has samples of it.
  Runs(const Schema& schema, const BoxesOfLevels& boxes, const std::vector<bool>& stored, Index run_bytes);

  [[nodiscard]] Index size() const { return size_; }

  struct Run {
    Index number = 0;
    Index patch = 0;         ///< of the level
    Index offset_bytes = 0;  ///< from the first sample of the level field
    Index size_bytes = 0;
  };
  /// Calls visit(run) for the runs of a level field. Stops at an error.
  Status for_each(std::size_t level_field, const std::function<Status(const Run&)>& visit) const;
  /// The same for those that hold samples of `box`, which is in the patch `patch` and counts from its lower
  /// corner.
  Status for_each_in(std::size_t level_field, const Box& box, Index patch,
                     const std::function<Status(const Run&)>& visit) const;

 private:
  struct OfField {
    std::optional<PackedBoxesLayout> layout;  ///< none: no samples
    std::vector<Index> first_run;             ///< [piece]
  };
  [[nodiscard]] Run run_of(const OfField& of, const Piece& piece, const PiecePart& part) const;

  std::vector<OfField> of_fields_;
  Index size_ = 0;
};

/// What the series records of a step.
std::uint64_t sum_of_step(std::span<const MeshBox> patches, std::span<const std::uint64_t> sums);

}  // namespace esker::vtkhdf
