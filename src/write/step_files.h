// StepFiles: the block files that this rank writes in one step.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exchange/piece_space.h"
#include "exchange/piece_sums.h"
#include "exchange/plan.h"
#include "format/format_writer.h"
#include "store/store.h"

namespace esker {

/// Files are opened when the first window reaches them.
class StepFiles {
 public:
  /// `top` is the directory that holds the dataset. Everything is referred to; nothing is allocated.
  StepFiles(Store& store, const StepLayouts& layouts, const PieceSpace& space, Index step,
            const std::string& top)
      : store_(store), layouts_(layouts), space_(space), step_(step), top_(top) {}

  /// Writes a window's bytes to the files they belong to: one write per file.
  Status write(const Window& window, std::span<const std::byte> bytes);

  /// Writes the headers of the files whose first data byte this rank wrote, syncs everything if `durable`,
  /// closes. `sums`: of all pieces in these files, if the layouts have checksums.
  Status finish(const PieceSums& sums, bool durable);

  /// Removes what this rank wrote, as far as that can be done; for a step that failed anywhere.
  void discard() noexcept;

  /// Paths of the files that were opened.
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  using FileKey = std::pair<int, Index>;  // layout, file
  struct OpenFile {
    std::string path;
    std::unique_ptr<File> file;
    bool owned = false;        // this rank writes the headers
    Index begin = 0, end = 0;  // positions in the space
  };
  Status write_part(int layout, const Layout::FileSpan& span, Index position,
                    std::span<const std::byte> bytes);
  Result<OpenFile*> open(const FileKey& key);
  Status finish_file(const FileKey& key, OpenFile& file, const PieceSums& sums, bool durable);
  [[nodiscard]] std::vector<std::byte> headers(const FileKey& key, const OpenFile& file,
                                               const PieceSums& sums) const;

  Store& store_;
  const StepLayouts& layouts_;
  const PieceSpace& space_;
  Index step_;
  const std::string& top_;
  std::map<FileKey, OpenFile> files_;
};

/// The directory of a path; "." for a bare name.
std::string directory_of(const std::string& path);

/// Makes the names of `paths` durable: syncs their directories up to and including `top`, each once.
Status sync_directories(Store& store, const std::vector<std::string>& paths, const std::string& top);

/// Syncs files that were closed before, which must exist, and their names.
Status sync_files(Store& store, const std::vector<std::string>& paths, const std::string& top);

}  // namespace esker
