// StepFiles: the block files that this rank writes in one step.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exchange/piece_records.h"
#include "format/format_writer.h"
#include "plan/piece_space.h"
#include "plan/plan.h"
#include "store/store.h"
#include "write/piece_heads.h"

namespace esker {

/// A file is opened when the first collective buffer reaches it. At most kMaxOpen files are open at a time.
/// Buffers pass through files in order, so the least recently used file is closed.
class StepFiles {
 public:
  static constexpr std::size_t kMaxOpen = 32;

  /// `top` is the directory that holds the dataset. Keeps references only; allocates nothing.
  StepFiles(Store& store, const StepLayouts& layouts, const PieceSpace& space, Index step,
            const std::string& top)
      : store_(store), layouts_(layouts), space_(space), step_(step), top_(top) {}

  /// The offset in its file of the byte at a position, unless its piece is compressed. Pure.
  [[nodiscard]] Index offset_of(Index position) const {
    const Place place = place_at(position);
    return place.data_offset_bytes + position - place.begin;
  }
  /// Writes the bytes of the positions from `begin` on to their files: one write per contiguous part of a
  /// file.
  Status write(Index begin, std::span<const std::byte> bytes);
  /// Writes bytes at an offset of a file of a layout by one write.
  Status write_at(int layout, Index file, Index offset_bytes, std::span<const std::byte> bytes);

  /// Writes a complete file that no layout has.
  Status write_small(const std::string& path, std::span<const std::byte> bytes);

  /// What was written to the files that are open is on the device when this returns.
  Status sync_open();

  /// What headers say about pieces.
  struct Facts {
    const PieceRecords& records;
    const PieceHeads* heads = nullptr;  ///< null: no layout has heads
  };

  /// Completes the files whose first piece is one of `owned`: writes headers, and sets the final length. Then
  /// syncs all files that it wrote if `durable`, and closes them. `facts`: of all pieces in the owned files,
  /// if the layouts have records and heads. kInternal: compressed pieces are not where their sizes place
  /// them.
  Status finish(const std::vector<Ownership::Pieces>& owned, const Facts& facts, bool durable);

  /// Removes the files that this rank wrote, as far as possible, after a step failed on any rank. Files that
  /// several steps share are kept.
  void discard() noexcept;

  /// Number and largest size of the writes.
  struct Writes {
    Index count = 0;
    Index largest_bytes = 0;
  };
  [[nodiscard]] const Writes& writes() const { return writes_; }

  /// Paths of the files that were opened.
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  /// The file at a position, and its index in its layout; `begin` and `end` are positions in the space.
  struct Place {
    int layout = 0;
    Index file = 0;
    Index begin = 0, end = 0;
    Index data_offset_bytes = 0;
  };
  [[nodiscard]] Place place_at(Index position) const;
  Result<File*> open(int layout, Index file);
  Result<File*> open(const std::string& path);
  Status close_oldest();
  Status close_all(bool durable);
  void count_write(std::span<const std::byte> bytes);
  Status complete(const Place& place, const Facts& facts);
  Result<Index> end_of_compressed(const Place& place, std::span<const PieceRecord> records) const;

  Store& store_;
  const StepLayouts& layouts_;
  const PieceSpace& space_;
  Index step_;
  const std::string& top_;
  struct Opened {
    std::unique_ptr<File> file;  // null: closed again, or could not be opened
    bool is_shared = false;      // by several steps
    std::list<Opened*>::iterator place_in_recent;
  };
  std::map<std::string, Opened> files_;  // by path
  std::list<Opened*> recent_;            // the open ones, most recently used first
  Writes writes_;
};

/// Makes the names of `paths` durable: syncs their directories up to and including `top`, each once.
Status sync_directories(Store& store, const std::vector<std::string>& paths, const std::string& top);

/// Syncs existing files that were closed before, and their names.
Status sync_files(Store& store, const std::vector<std::string>& paths, const std::string& top);

}  // namespace esker
