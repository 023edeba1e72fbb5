// IdxPart: one .idx file opened for reading.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "esker/types/dataset_info.hpp"
#include "formats/idx/block_files.h"
#include "formats/idx/block_form.h"
#include "formats/idx/commit_record.h"
#include "formats/idx/header.h"
#include "formats/idx/part_sets.h"
#include "grid/blocks.h"
#include "read/read_context.h"
#include "read/read_target.h"
#include "store/store.h"

namespace esker::idx {

struct JoinedPart;

class IdxPart {
 public:
  /// Reads the header; for a partitioned PIDX dataset, also those of its partitions. Errors: kNotFound,
  /// kDataLoss, kUnsupported.
  static Result<std::unique_ptr<IdxPart>> open(std::shared_ptr<Store> store, const std::string& idx_path);
  /// The same for one file: a header that only names partitions is opened as if it had blocks.
  static Result<std::unique_ptr<IdxPart>> open_file(std::shared_ptr<Store> store,
                                                    const std::string& idx_path);
  /// The same, as if the file contained that text.
  static Result<std::unique_ptr<IdxPart>> of_text(std::shared_ptr<Store> store, const std::string& idx_path,
                                                  const std::string& text);
  /// Parts of a grid, at least one, as one dataset. `header` describes the grid, and `record` says which
  /// fields its steps have. It has the steps that all parts have.
  static std::unique_ptr<IdxPart> of_parts(std::shared_ptr<Store> store, const std::string& path,
                                           Header header, std::optional<CommitRecord> record,
                                           std::vector<JoinedPart> parts);
  ~IdxPart();

  [[nodiscard]] const std::string& idx_path() const { return idx_path_; }
  [[nodiscard]] const Header& header() const { return header_; }
  /// Layout of samples, or of cells if header().cells is set. A partitioned dataset stores no blocks
  /// itself.
  [[nodiscard]] const BlockGrid& blocks() const { return blocks_; }
  /// The same as it is stored at a step: without bricks if the step was merged. The same blocks exist.
  [[nodiscard]] const BlockGrid& blocks_of_step(Index step) const {
    return is_merged(step) ? *merged_blocks_ : blocks_;
  }
  /// Whether `esker merge` has brought a step of bricks into the global order.
  [[nodiscard]] bool is_merged(Index step) const {
    return merged_blocks_ && record_ && step < record_->merged;
  }
  /// Existing blocks per field and step, those of all partitions together.
  [[nodiscard]] Index num_blocks() const;
  /// Absent in datasets of other writers.
  [[nodiscard]] const std::optional<CommitRecord>& record() const { return record_; }
  /// Whether Esker wrote it. If so, a field of a step has all its blocks or none.
  [[nodiscard]] bool is_ours() const { return record_.has_value(); }
  /// Integer times of the steps, ascending; {0} if the header has no (time).
  [[nodiscard]] const std::vector<Index>& times() const { return times_; }
  /// Of a part of a dataset with so many steps: a part of Esker's may list more, which were not committed.
  [[nodiscard]] Index num_steps_within(Index num_steps) const {
    const auto listed = static_cast<Index>(times_.size());
    return is_ours() ? std::min(listed, num_steps) : listed;
  }
  /// Position of an integer time in times(); -1 if it is missing.
  [[nodiscard]] Index step_at(Index time) const;
  /// Whether field number `field` was written at `step` (position in times()).
  [[nodiscard]] bool has(int field, Index step) const;

  /// Whether the step stores some of the blocks only. Steps are positions in times().
  [[nodiscard]] bool is_sparse(Index step) const { return record_ && record_->sets.contains(step); }
  /// What a sparse step stores of each field of the header, and the patches of a mesh. Reads its file of
  /// block sets, unless it is known. Thread-safe. Errors: kDataLoss, kIoError.
  [[nodiscard]] Result<PartSets::Sets> sets_at(Index step) const;
  /// The blocks of a field at a step; null: all. The same errors.
  [[nodiscard]] Result<std::shared_ptr<const BlockSet>> blocks_at(int field, Index step) const;
  /// Sets out[i] to the finest level that is stored, with all coarser ones, at sample i of a lattice, x
  /// fastest; -1: without block 0, the coarsest. Opens no block file.
  Status stored_levels(const std::vector<int>& columns, Index step, const Lattice& samples,
                       std::span<std::int8_t> out) const;
  [[nodiscard]] std::string block_sets_path(Index step) const {
    return block_sets_path_at(times_[static_cast<std::size_t>(step)]);
  }
  /// The same for an integer time.
  [[nodiscard]] std::string block_sets_path_at(Index time) const;

  /// The samples of levels <= `level` in `box` (clipped to the header's box). Pure.
  [[nodiscard]] Lattice select(const Box& box, int level) const;
  /// Reads the samples of a step. A sample of the target is the components of the fields at positions
  /// `columns` of the header, one after the other. Thread-safe.
  Status read(const std::vector<int>& columns, Index step, const ReadTarget& target,
              const ReadContext& context) const;

  /// A block of a step.
  struct BlockAt {
    int column = 0;
    Index step = 0, block = 0;
  };
  /// Reads and decodes a block. Errors: kIoError; kDataLoss if it cannot be decoded, or does not have its
  /// checksum.
  [[nodiscard]] Result<std::vector<std::byte>> load_block(const BlockAt& at, const StoredBlock& stored) const;
  /// Copies the samples of a loaded block that the target requests.
  void place_block(const BlockAt& at, const StoredBlock& stored, std::span<const std::byte> samples,
                   const ReadTarget& target) const;
  /// The samples of a block that are in the grid, as one lattice, or several for blocks of cells.
  [[nodiscard]] std::vector<Lattice> samples_of_block(const BlockAt& at) const;
  /// The parts that hold the blocks of this one; empty if it holds them itself.
  [[nodiscard]] const std::vector<JoinedPart>& partitions() const { return partitions_; }
  [[nodiscard]] BlockFiles& files() const { return *files_; }
  /// Adds the existing block files of the first `num_steps` steps, and their bytes, to `info`. The cost
  /// depends on the files on storage, not on the number that the header allows.
  Status add_storage(StorageInfo& info, Index num_steps) const;

 private:
  IdxPart(std::shared_ptr<Store> store, std::string idx_path, Header header,
          std::optional<CommitRecord> record, std::vector<Index> times, FilenameTemplate files);
  void record_absent();
  Status add_file(const std::string& path, StorageInfo& info) const;
  Status read_column(int column, Index step, const ReadTarget& target, const ReadContext& context) const;
  /// `bits`: see ReadContext.
  [[nodiscard]] std::unique_ptr<BlockForm> form_of(int column, Index step, int bits) const;
  [[nodiscard]] Status check_readable(const FieldEntry& field) const;

  std::string idx_path_;
  Header header_;
  BlockGrid blocks_;
  std::optional<CommitRecord> record_;
  std::optional<BlockGrid> merged_blocks_;  // with bricks: without them
  std::set<std::pair<Index, int>> absent_;  // step, field
  std::vector<Index> times_;
  std::unique_ptr<BlockFiles> files_;
  std::unique_ptr<PartSets> sets_;
  std::vector<JoinedPart> partitions_;  // empty, unless all blocks are in partitions
};

}  // namespace esker::idx
