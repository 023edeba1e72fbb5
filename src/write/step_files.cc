#include "write/step_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/guarded.h"
#include "base/macros.h"

namespace esker {

Status StepFiles::write(const Window& window, std::span<const std::byte> bytes) {
  Index position = window.begin;
  while (position < window.end) {
    const int layout = space_.layout_at(position);
    const Index base = space_.first_position(layout);
    const Layout::FileSpan span = space_.layout(layout).file_at(position - base);
    const Index length = std::min(window.end, base + span.end) - position;
    const auto part = bytes.subspan(position - window.begin, length);
    ESKER_RETURN_IF_ERROR(write_part(layout, span, position - base, part));
    position += length;
  }
  return {};
}

Status StepFiles::write_part(int layout, const Layout::FileSpan& span, Index position,
                             std::span<const std::byte> bytes) {
  ESKER_ASSIGN_OR_RETURN(OpenFile * file, open({layout, span.file}));
  if (position == span.begin) {
    const Index base = space_.first_position(layout);
    file->owned = true;
    file->begin = base + span.begin;
    file->end = base + span.end;
  }
  return file->file->write_at(bytes, span.data_offset_bytes + (position - span.begin));
}

Result<StepFiles::OpenFile*> StepFiles::open(const FileKey& key) {
  OpenFile& file = files_[key];
  if (file.file) return &file;
  file.path = layouts_.file_path(key.first, key.second, step_);
  ESKER_ASSIGN_OR_RETURN(file.file, store_.open(file.path, OpenMode::kWrite));
  return &file;
}

std::vector<std::byte> StepFiles::headers(const FileKey& key, const OpenFile& file,
                                          const PieceSums& sums) const {
  std::span<const std::uint64_t> of_file;
  if (layouts_.has_checksums()) {
    of_file = sums.of(space_.first_piece_from(file.begin), space_.first_piece_from(file.end));
  }
  return layouts_.file_headers(key.first, key.second, step_, of_file);
}

Status StepFiles::finish_file(const FileKey& key, OpenFile& file, const PieceSums& sums, bool durable) {
  if (file.owned) ESKER_RETURN_IF_ERROR(file.file->write_at(headers(key, file, sums), 0));
  if (durable) ESKER_RETURN_IF_ERROR(file.file->sync());
  return file.file->close();
}

Status StepFiles::finish(const PieceSums& sums, bool durable) {
  for (auto& [key, file] : files_) ESKER_RETURN_IF_ERROR(finish_file(key, file, sums, durable));
  return durable ? sync_directories(store_, paths(), top_) : Status();
}

void StepFiles::discard() noexcept {
  for (auto& [key, file] : files_) {
    file.file.reset();
    (void)guarded("remove", [this, &file = file] { return store_.remove(file.path); });
  }
  files_.clear();
}

std::vector<std::string> StepFiles::paths() const {
  std::vector<std::string> paths;
  for (const auto& [key, file] : files_) paths.push_back(file.path);
  return paths;
}

std::string directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

Status sync_directories(Store& store, const std::vector<std::string>& paths, const std::string& top) {
  std::set<std::string> directories;
  for (const std::string& path : paths) {
    for (std::string directory = directory_of(path);; directory = directory_of(directory)) {
      const bool is_new = directories.insert(directory).second;
      if (!is_new || directory == top || directory == "." || directory == "/") break;
    }
  }
  for (const std::string& directory : directories) ESKER_RETURN_IF_ERROR(store.sync_directory(directory));
  return {};
}

Status sync_files(Store& store, const std::vector<std::string>& paths, const std::string& top) {
  for (const std::string& path : paths) {
    ESKER_ASSIGN_OR_RETURN(const auto file, store.open(path, OpenMode::kRead));
    ESKER_RETURN_IF_ERROR(file->sync());
    ESKER_RETURN_IF_ERROR(file->close());
  }
  return sync_directories(store, paths, top);
}

}  // namespace esker
