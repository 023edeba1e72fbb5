// MeanLevels: the coarse fields (model/coarse_fields.h) of a step as means of all samples, which have
// separate memory.
//
// A cell of level k has the samples of the box of 2^k along each axis that begins with the sample which
// CoarseFieldAdder takes for it; it belongs to the patch with that sample. So the boxes of coarse fields are
// those of sampled levels, and the exchange and the files see only other memory behind the patches.
//
// A cell adds its 2^rank children of the level below (grid/mean_pyramid.h). Those beyond the upper ends of a
// patch come from the ranks that hold them (write/halo_geometry.h): one layer per level. The order of
// additions depends on the grid alone, so that the bytes are the same for any ranks and patches.
//
// Memory: the means of all fields, and for one component of one field at a time the layers and a few rows of
// sums. Everything is found and counted while a step is planned. A step allocates nothing and cannot fail.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/spans.h"
#include "comm/comm.h"
#include "esker/types/schema.hpp"
#include "exchange/directory.h"
#include "exchange/patch_list.h"
#include "grid/mean_pyramid.h"
#include "plan/field_boxes.h"
#include "write/halo_geometry.h"

namespace esker {

/// Memory that the plans of a run use one after the other.
class LevelMemory {
 public:
  /// At least `bytes`, and at most max(bytes, most). What the memory held is lost if it changes. May throw.
  void reserve(Index bytes, Index most);
  [[nodiscard]] Index size_bytes() const { return size_; }
  [[nodiscard]] std::byte* data() const { return data_.get(); }

 private:
  std::unique_ptr<std::byte[]> data_;
  Index size_ = 0;
};

class MeanLevels {
 public:
  /// For the coarse fields that steps store: `due`, by position in with_coarse_fields(schema, num_levels).
  /// May throw.
  MeanLevels(const Schema& schema, int num_levels, const std::vector<bool>& due);

  /// Finds what the ranks send each other. `boxes`: of the fields of a plan, in `directory`. Collective;
  /// errors are those of all ranks: memory, kUnsupported for messages of more than 1 GiB.
  Status plan_halo(Comm& comm, Directory& directory, const BoxesOfField& boxes);
  /// The bytes of memory that steps need, after plan_halo(); on any rank, the most.
  [[nodiscard]] Index memory_bytes() const { return memory_bytes_; }
  [[nodiscard]] Index most_memory_bytes() const { return most_memory_bytes_; }
  /// The memory of the lists.
  [[nodiscard]] Index list_bytes() const;

  /// Uses this memory from now on; it must outlive this object, and has memory_bytes() at least while steps
  /// are made. Local.
  void use(const LevelMemory& memory) { memory_ = &memory; }
  /// Whether the memory is large enough. Local.
  [[nodiscard]] bool has_room() const { return memory_ && memory_->size_bytes() >= memory_bytes_; }

  /// The patches of the next step: [position in the schema of the dataset]. Local; may throw.
  void take(const std::vector<PatchList>& patches);
  /// Whether a field, by position in the schema with coarse fields, is a coarse field that this object makes.
  [[nodiscard]] bool makes(int field) const;
  /// The patches of that coarse field: after has_room(). Local; may throw.
  [[nodiscard]] PatchList patches_of(int field) const;

  /// Computes all means of a step from the patches, after has_room(). Adds the time spent in waiting for
  /// other ranks, and in computing. Collective; allocates nothing.
  void make(Comm& comm, Seconds& exchange_s, Seconds& compute_s) const;

 private:
  /// What the fields with the same holders have in common at a level.
  struct Layer {
    const Distribution* holders = nullptr;  // while this is planned
    Box domain;
    std::vector<Box> boxes;          // of this rank
    std::vector<Index> first_cells;  // [patch] in dense memory of all patches
    Index num_cells = 0;
    HaloGeometry halo;     // of children; not of the coarsest level
    Index slab_cells = 0;  // of all slabs of a patch, the most
    Index row_cells = 0;   // of a patch along any axis, the most
  };
  /// A field of the dataset, with offsets in memory by level.
  struct Source {
    int field = 0;
    SampleType type = SampleType::kFloat32;
    int components = 1;
    MissingValues missing;
    std::vector<int> positions;       // [level - 1] in the schema with coarse fields
    std::vector<std::size_t> layers;  // [level], 0 being the field's own
    std::vector<Index> means;         // [level - 1], with all components
    std::vector<Index> received, slabs, rows;
    Index send = 0;
    PatchList patches;

    [[nodiscard]] std::size_t coarsest() const { return positions.size(); }
    [[nodiscard]] Index mean_bytes() const { return components * esker::size_bytes(type); }
  };
  class Pyramid;

  [[nodiscard]] std::size_t layer_of(const Distribution* holders, bool is_coarsest, int rank);
  Status lay_out_memory(Comm& comm);
  Status lay_out_scratch(Comm& comm, Source& source, Index begin);
  [[nodiscard]] Patch mean_patch(const Source& source, std::size_t level, std::size_t number) const;
  [[nodiscard]] Patch sample_patch(const Source& source, int component, int number) const;
  void exchange(Comm& comm, const Source& source, int component) const;

  std::vector<Source> sources_;
  std::vector<Layer> layers_;
  Index memory_bytes_ = 0, most_memory_bytes_ = 0;
  const LevelMemory* memory_ = nullptr;
};

}  // namespace esker
