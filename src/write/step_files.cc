#include "write/step_files.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "store/commit.h"

namespace esker {

StepFiles::Place StepFiles::place_at(Index position) const {
  const int layout = space_.layout_at(position);
  const Index base = space_.first_position(layout);
  const Layout::FileSpan span = space_.layout(layout).file_at(position - base);
  return {layout, span.file, base + span.begin, base + span.end,
          span.data_offset_bytes + layouts_.step_offset_bytes(layout, step_)};
}

Status StepFiles::write(Index begin, std::span<const std::byte> bytes) {
  File* file = nullptr;
  Place last;
  while (!bytes.empty()) {
    const Place place = place_at(begin);
    const auto part = bytes.first(std::min(bytes.size(), static_cast<std::size_t>(place.end - begin)));
    if (!file || place.layout != last.layout || place.file != last.file) {  // often many runs of one file
      ESKER_ASSIGN_OR_RETURN(file, open(place.layout, place.file));
    }
    last = place;
    ESKER_RETURN_IF_ERROR(file->write_at(part, place.data_offset_bytes + (begin - place.begin)));
    count_write(part);
    begin += static_cast<Index>(part.size());
    bytes = bytes.subspan(part.size());
  }
  return {};
}

Status StepFiles::write_at(int layout, Index file, Index offset_bytes, std::span<const std::byte> bytes) {
  ESKER_ASSIGN_OR_RETURN(File * opened, open(layout, file));
  ESKER_RETURN_IF_ERROR(opened->write_at(bytes, offset_bytes));
  count_write(bytes);
  return {};
}

void StepFiles::count_write(std::span<const std::byte> bytes) {
  ++writes_.count;
  writes_.largest_bytes = std::max(writes_.largest_bytes, static_cast<Index>(bytes.size()));
}

Result<File*> StepFiles::open(int layout, Index number) {
  const std::string path = layouts_.file_path(layout, number, step_);
  files_[path].is_shared = layouts_.shares_files(layout);
  return open(path);
}

Result<File*> StepFiles::open(const std::string& path) {
  Opened& opened = files_[path];
  if (opened.file) {
    recent_.splice(recent_.begin(), recent_, opened.place_in_recent);
    return opened.file.get();
  }
  if (recent_.size() >= kMaxOpen) ESKER_RETURN_IF_ERROR(close_oldest());
  recent_.push_front(&opened);
  opened.place_in_recent = recent_.begin();
  auto file = store_.open(path, OpenMode::kWrite);
  if (!file.ok()) {
    recent_.pop_front();
    return file.status();
  }
  opened.file = std::move(*file);
  return opened.file.get();
}

Status StepFiles::write_small(const std::string& path, std::span<const std::byte> bytes) {
  ESKER_ASSIGN_OR_RETURN(File * file, open(path));
  return file->write_at(bytes, 0);
}

Status StepFiles::close_oldest() {
  Opened& oldest = *recent_.back();
  recent_.pop_back();
  const auto file = std::move(oldest.file);
  return file->close();
}

// Files that were closed before are opened again to be synced.
Status StepFiles::close_all(bool durable) {
  for (auto& [path, opened] : files_) {
    if (!opened.file && !durable) continue;
    if (!opened.file) {
      ESKER_ASSIGN_OR_RETURN(opened.file, store_.open(path, OpenMode::kRead));
    }
    if (durable) ESKER_RETURN_IF_ERROR(opened.file->sync());
    ESKER_RETURN_IF_ERROR(opened.file->close());
    opened.file.reset();
  }
  recent_.clear();
  return durable ? sync_directories(store_, paths(), top_) : Status();
}

Status StepFiles::sync_open() {
  for (const Opened* opened : recent_) ESKER_RETURN_IF_ERROR(opened->file->sync());
  return {};
}

/// Where the data of a file with compressed pieces end. Each piece begins where the one before it ends: the
/// ranks that stored them computed the same.
Result<Index> StepFiles::end_of_compressed(const Place& place, std::span<const PieceRecord> records) const {
  Index end = end_of_stored(place.data_offset_bytes, 0);
  for (const PieceRecord& record : records) {
    if (record.offset_bytes != end) {
      return error(Code::kInternal, "{}: a compressed piece is stored at byte {}, expected {}",
                   layouts_.file_path(place.layout, place.file, step_), record.offset_bytes, end);
    }
    end = end_of_stored(end, record.size_bytes);
  }
  return end;
}

Status StepFiles::complete(const Place& place, const Facts& facts) {
  const Index first = space_.first_piece_from(place.begin), last = space_.first_piece_from(place.end);
  std::span<const PieceRecord> of_file;
  if (layouts_.has_records()) of_file = facts.records.of(first, last);
  std::span<const PieceHead> heads;
  if (layouts_.has_heads(place.layout)) heads = facts.heads->of(first, last);
  Index end = place.data_offset_bytes + (place.end - place.begin);
  if (layouts_.compresses(place.layout)) {
    ESKER_ASSIGN_OR_RETURN(end, end_of_compressed(place, of_file));
  }
  ESKER_ASSIGN_OR_RETURN(File * file, open(place.layout, place.file));
  const auto headers = layouts_.file_headers(place.layout, place.file, step_, of_file, heads);
  ESKER_RETURN_IF_ERROR(file->write_at(headers, 0));
  ESKER_RETURN_IF_ERROR(file->write_at(layouts_.file_end(place.layout, place.file, of_file), end));
  return file->extend_to(end);
}

Status StepFiles::finish(const std::vector<Ownership::Pieces>& owned, const Facts& facts, bool durable) {
  for (const Ownership::Pieces& run : owned) {
    const Index end = space_.position_bytes(run.last);
    for (Index position = space_.position_bytes(run.first); position < end;) {
      const Place place = place_at(position);
      const bool is_whole = place.begin == position && !layouts_.shares_files(place.layout);
      if (is_whole) ESKER_RETURN_IF_ERROR(complete(place, facts));
      position = place.end;
    }
  }
  return close_all(durable);
}

void StepFiles::discard() noexcept {
  for (auto& [path, opened] : files_) {
    opened.file.reset();
    if (opened.is_shared) continue;
    (void)guarded("remove", [this, &path = path] { return store_.remove(path); });
  }
  recent_.clear();
  files_.clear();
}

std::vector<std::string> StepFiles::paths() const {
  std::vector<std::string> paths;
  for (const auto& [path, opened] : files_) paths.push_back(path);
  return paths;
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
