// BlockQuery: reads one column of an .idx for a query, block by block.
//
// Blocks are read in the order of the HZ tree: a block, then all blocks that refine the first half of its
// region, then those of the second half. Consecutive writes are thus close together in the result, for any
// number of levels, and are still in the processor's cache when finer blocks arrive. A task is a few blocks;
// those that are close together in a file are read with one call.
#pragma once

#include <vector>

#include "base/run_tasks.h"
#include "formats/idx/block_files.h"
#include "formats/idx/block_form.h"
#include "grid/block_set.h"
#include "read/read_context.h"

namespace esker::idx {

class BlockQuery {
 public:
  /// Identifies the data of the blocks.
  struct Column {
    BlockFiles& files;
    const BlockGrid& blocks;
    const BlockForm& form;
    int number = 0;                          ///< of the field in the .idx
    Index time = 0;                          ///< integer time
    std::span<const std::byte> fill_sample;  ///< used for missing blocks
    bool all_exist = false;                  ///< the writer recorded which blocks it wrote: `stored`
    const BlockSet* stored = nullptr;        ///< of a sparse step; null: all
  };

  /// All references must outlive this object.
  BlockQuery(const Column& column, const ReadTarget& target, const ReadContext& context);

  /// `box` and levels `start_level` ... `level` describe the part of the block grid that holds the requested
  /// samples.
  Status run(const Box& box, int start_level, int level);

 private:
  class TaskWorker;

  void list_blocks(const Box& box, int start_level, int level);
  /// Number of blocks that are processed together.
  [[nodiscard]] Index task_bytes() const;
  /// Whether such a block is put in the cache.
  [[nodiscard]] bool keeps(const StoredBlock& stored, const BlockForm& form) const;

  Column column_;
  const ReadTarget& target_;
  const ReadContext& context_;
  bool fits_cache_ = false;  // false: the query is larger than the cache
  std::vector<Index> blocks_;
};

}  // namespace esker::idx
