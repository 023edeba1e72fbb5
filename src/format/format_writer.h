// FormatWriter: the part of writing that a file format implements - layouts, file names, headers, commit.
//
// The write pipeline moves samples according to the layouts and knows nothing else about a format. No MPI:
// each function states which ranks call it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "grid/blocks.h"
#include "layout/kept_fields.h"
#include "layout/step_layouts.h"
#include "model/patch_order.h"

namespace esker {

/// A step whose bytes are stored.
struct StoredStep {
  Index step = 0;
  double time = 0;
  std::vector<bool> present;      ///< [position in Schema::fields()]
  std::vector<float> max_errors;  ///< likewise: the largest absolute error that compression made
  /// Of the pieces of layouts that join (StepLayouts::joins), [layout]; empty if none does.
  std::vector<std::span<const PieceRecord>> records = {};
  /// Of layouts with StepLayouts::sums_parts: [layout][number of the part in file order].
  std::vector<std::vector<std::uint64_t>> part_sums = {};
};

/// A small file that a step has in addition to those of its layouts.
struct SmallFile {
  std::string path;
  std::vector<std::byte> bytes;
};

class FormatWriter {
 public:
  virtual ~FormatWriter() = default;

  /// Rank 0, first: checks that a dataset can be created at the path. Takes the writer lock.
  virtual Status check_target() = 0;
  /// Rank 0, after check_target: whether create() will remove an existing dataset.
  [[nodiscard]] virtual bool replaces_existing() const = 0;
  /// All ranks, once, with the complete schema: determines grids, block sizes, names. Local, pure.
  virtual Status define(const Schema& schema) = 0;
  /// Whether take_boxes() must be called before the first step is laid out, until the dataset is created.
  [[nodiscard]] virtual bool needs_boxes() const { return false; }
  /// All ranks: the extents of the ranks' boxes, [position in Schema::fields()]; 0 on all axes of a field
  /// that no rank put. Local, pure.
  virtual Status take_boxes(const std::vector<Point>& /*extents*/) { return {}; }
  /// Rank 0, first, to append instead: takes the writer lock and reads what restore() needs.
  virtual Result<std::string> read_existing() = 0;
  /// All ranks, instead of define: initializes from the dataset that read_existing() found. Local, pure.
  virtual Status restore(const std::string& existing) = 0;
  /// Rank 0, after restore or rewind: removes files of uncommitted steps. Begins with check_ours().
  virtual Status reclaim(bool durable) = 0;
  /// Rank 0, after create or restore: kDataLoss unless this writer still holds the lock and the committed
  /// state is the one that it left. After that error nothing may be written or removed, because the files
  /// belong to another writer.
  virtual Status check_ours() = 0;
  /// All ranks, after restore: kDataLoss if reclaim() would drop committed steps because the files of a
  /// dataset in two formats hold different steps. Steps later than `to_time` may be dropped. Local, pure.
  [[nodiscard]] virtual Status check_steps(const std::optional<double>& /*to_time*/) const { return {}; }
  /// Rank 0, before a step's bytes are written: kAlreadyExists if they would be written through a symbolic
  /// link below the dataset.
  virtual Status check_step_place(Index /*step*/) { return {}; }
  [[nodiscard]] virtual const Schema& schema() const = 0;
  /// The committed steps; valid on all ranks after restore, later on rank 0 only, unless num_own_indexes().
  [[nodiscard]] virtual const std::vector<double>& times() const = 0;
  /// Rank 0, after define: removes the dataset that is replaced, and writes everything that precedes the
  /// first step. Can be called again after a failure.
  virtual Status create(bool durable) = 0;
  /// Whether steps have the fields of meshes as arrays in the index space of the finest level, and whether
  /// they have whole levels: level fields (model/level_fields.h).
  [[nodiscard]] virtual bool stores_flat() const { return true; }
  [[nodiscard]] virtual bool stores_levels() const { return false; }
  /// The levels below the finest that steps store as fields: coarse fields (model/coarse_fields.h), after
  /// those of the schema. All ranks, after define or restore. Local.
  [[nodiscard]] virtual int num_coarse_levels() const { return 0; }
  /// Whether these levels hold means (write/mean_levels.h). Likewise.
  [[nodiscard]] virtual bool averages_levels() const { return false; }
  /// Success if steps can have fields of a mesh that passed Mesh::check(). Errors offer another format.
  /// Local, pure.
  [[nodiscard]] virtual Status check_mesh(const Mesh& mesh) const { return mesh.check_array(); }
  /// All ranks, before a step with level fields is laid out: its patches. Local.
  virtual Status take_patches(const PatchesOfMeshes& /*patches*/) { return {}; }
  /// All ranks: layouts for the fields with present[field]. After those of the schema come the level fields
  /// or the coarse fields, if the step has such: other formats, also in other calls, ignore them. Local,
  /// pure.
  [[nodiscard]] virtual std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present,
                                                             const StepHints& hints) const = 0;
  /// Success if steps may store some of a field's blocks only. kUnsupported names the format. Local, pure.
  [[nodiscard]] virtual Status check_sparse(int /*field*/) const {
    return {Code::kUnsupported,
            "this format stores fields completely; choose format=idx, or idx together with another one"};
  }
  /// The blocks of a field for which check_sparse() succeeds. Local, pure.
  [[nodiscard]] virtual const BlockGrid* blocks_of(int /*field*/) const { return nullptr; }
  /// The values of bits_per_block that such a field could have instead, in descending order: before the
  /// dataset is created, if the user has set none. Local, pure.
  [[nodiscard]] virtual std::vector<int> choices_of_block_bits(int /*field*/) const { return {}; }
  /// All ranks: sets it, for all fields that share the blocks of this one. Layouts made before are invalid.
  /// Local, pure.
  virtual Status set_block_bits(int /*field*/, int /*bits*/) { return {}; }
  /// All ranks, before the dataset is created: undoes set_block_bits() for all fields, also after it failed.
  /// Layouts made before are invalid, also after an error. Local, pure.
  virtual Status reset_block_bits() { return {}; }
  /// All ranks: layouts for a step that stores `kept` of the fields. Only if check_sparse() succeeds for the
  /// fields that it stores in part. Local, pure.
  [[nodiscard]] virtual std::unique_ptr<StepLayouts> lay_out_sparse(const std::vector<bool>& present,
                                                                    const StepHints& hints,
                                                                    const KeptFields& /*kept*/) const {
    return lay_out(present, hints);
  }
  /// Rank 0, before each commit(): the small files of a step that stores `kept`, and whose meshes have these
  /// patches. Local. kUnsupported: one is too large for readers.
  virtual Result<std::vector<SmallFile>> small_files(Index /*step*/, const std::vector<bool>& /*present*/,
                                                     const KeptFields& /*kept*/,
                                                     const PatchesOfMeshes& /*patches*/) {
    return std::vector<SmallFile>();
  }
  /// Rank 0, before a step's bytes are written, if its layouts need file offsets: allocates them. Changes no
  /// file. The offsets are valid until the next call of prepare(), commit(), rewind() or reclaim().
  virtual Result<std::string> prepare(Index /*step*/, double /*time*/, const std::vector<bool>& /*present*/) {
    return std::string();
  }
  /// The partitions whose indexes list their steps separately (partition_index=local); 0: none. Each has a
  /// leader, which is any rank. Local.
  [[nodiscard]] virtual int num_own_indexes() const { return 0; }
  /// All ranks, with num_own_indexes(), when all bytes of the step are written, and before commit(): records
  /// the step, and replaces the indexes of the partitions that this rank leads by those that list it. No
  /// reader sees the step before commit(). Local.
  virtual Status commit_partitions(const StoredStep& /*stored*/, std::span<const int> /*led*/,
                                   bool /*durable*/) {
    return {};
  }
  /// The files that commit_partitions() replaces for a partition. Local.
  [[nodiscard]] virtual std::vector<std::string> indexes_of(int /*partition*/) const { return {}; }
  /// Ranks with num_own_indexes(): all indexes list so many steps. All ranks after commit(), and ranks other
  /// than 0 after rewind(). Local, allocates nothing.
  virtual void settle_indexes(Index /*num_steps*/) {}
  /// Rank 0, with num_own_indexes(), before the rewind() that follows a failed commit: leaders may have
  /// replaced their indexes.
  virtual void doubt_indexes(const StoredStep& /*stored*/) {}
  /// Rank 0, when all bytes of the step are written: makes the step visible, and with `durable` also durable.
  virtual Status commit(const StoredStep& stored, bool durable) = 0;
  /// Rank 0: uncommits the steps from `num_steps` on. Begins with check_ours(). Continues after a later
  /// error, and returns the first one.
  virtual Status rewind(Index num_steps, bool durable) = 0;
  /// From now on, a commit that is not durable must not endanger committed steps that may be durable: a new
  /// index is durable before it replaces the old one. For datasets that were not created by this run.
  virtual void protect_committed() {}
  /// Rank 0: the files of the committed steps [first, end) that are not in metadata_paths().
  [[nodiscard]] virtual std::vector<std::string> data_paths(Index /*first*/, Index /*end*/) const {
    return {};
  }
  /// Rank 0: the files of a step that are not in metadata_paths(), and to which commit() writes.
  [[nodiscard]] virtual std::vector<std::string> completed_paths(Index /*step*/) const { return {}; }
  /// Files that are neither block files nor temporary.
  [[nodiscard]] virtual std::vector<std::string> metadata_paths() const = 0;
  /// What a report says about how the dataset is stored; empty: nothing. Local.
  [[nodiscard]] virtual std::string storage_note() const { return {}; }
  /// Rank 0: releases the lock.
  virtual Status release() = 0;
  /// Path without extension, for files next to the dataset.
  [[nodiscard]] virtual std::string stem() const = 0;
};

}  // namespace esker
