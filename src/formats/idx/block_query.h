// BlockQuery: reads what a query wants of one column of an .idx, block by block.
//
// Blocks are taken in the order of the tree that HZ order is: a block, then all those that refine the first
// half of its samples' region, then those of the second half. So what is written at a time lies close
// together in the answer, whatever the number of levels, and is still in the processor's cache when finer
// blocks come. A few blocks at a time are a task: what of them lies close together in a file is read at once.
#pragma once

#include <mutex>
#include <vector>

#include "base/run_tasks.h"
#include "formats/idx/block_files.h"
#include "formats/idx/block_form.h"
#include "grid/blocks.h"
#include "read/read_context.h"

namespace esker::idx {

class BlockQuery {
 public:
  /// What the blocks are of.
  struct Column {
    BlockFiles& files;
    const BlockGrid& blocks;
    const BlockForm& form;
    int number = 0;          ///< of the field in the .idx
    Index time = 0;          ///< integer time
    std::span<const std::byte> fill_sample;  ///< in the place of missing ones
    bool all_exist = false;  ///< the writer says that all blocks were written
  };

  /// All references outlive this.
  BlockQuery(const Column& column, const ReadTarget& target, const ReadContext& context);

  /// `box` and levels `start_level` ... `level` are those of the block grid that hold what is wanted.
  Status run(const Box& box, int start_level, int level);

 private:
  class TaskWorker;

  void list_blocks(const Box& box, int start_level, int level);
  /// Of blocks that are dealt with together.
  [[nodiscard]] Index task_bytes() const;
  /// Whether such a block goes to the cache.
  [[nodiscard]] bool keeps(const StoredBlock& stored, const BlockForm& form) const;
  void note_missing(Index block);

  Column column_;
  const ReadTarget& target_;
  const ReadContext& context_;
  bool fits_cache_ = false;  // the query: a larger one would only drive out what is there
  std::vector<Index> blocks_, missing_;
  std::mutex mutex_;  // of missing_
};

}  // namespace esker::idx
