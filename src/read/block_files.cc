#include "read/block_files.h"

#include "base/macros.h"

namespace esker::idx {
namespace {

constexpr std::size_t kMaxOpenFiles = 64;

}  // namespace

BlockFiles::BlockFiles(std::shared_ptr<Store> store, std::string directory, FilenameTemplate files,
                       Index blocks_per_file, int num_fields)
    : store_(std::move(store)),
      directory_(std::move(directory)),
      files_(std::move(files)),
      blocks_per_file_(blocks_per_file),
      num_fields_(num_fields) {}

std::string BlockFiles::path(Index block, Index time) const {
  const std::string path = files_.path(block - block % blocks_per_file_, time);
  return path.starts_with('/') ? path : directory_ + path;
}

BlockEntry BlockFiles::entry(const BlockFile& file, int field, Index block) const {
  if (!file.file) return {};
  return file.entries[static_cast<std::size_t>(entry_number(field, block, blocks_per_file_))];
}

Result<std::shared_ptr<const BlockFile>> BlockFiles::find(Index block, Index time) {
  const std::string name = path(block, time);
  const std::scoped_lock lock(mutex_);
  if (const auto known = cache_.find(name); known != cache_.end()) {
    recent_.splice(recent_.begin(), recent_, known->second);
    return recent_.front().second;
  }
  ESKER_ASSIGN_OR_RETURN(auto file, open(name));
  recent_.emplace_front(name, std::move(file));
  cache_[name] = recent_.begin();
  if (recent_.size() > kMaxOpenFiles) {
    cache_.erase(recent_.back().first);
    recent_.pop_back();
  }
  return recent_.front().second;
}

// A file that is missing or shorter than its headers holds no block: that is how IDX says "nothing here".
Result<std::shared_ptr<const BlockFile>> BlockFiles::open(const std::string& name) const {
  auto block_file = std::make_shared<BlockFile>();
  auto opened = store_->open(name, OpenMode::kRead);
  if (opened.status().code() == Code::kNotFound) return std::shared_ptr<const BlockFile>(block_file);
  ESKER_RETURN_IF_ERROR(opened.status());
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, (*opened)->size_bytes());
  const Index num_entries = blocks_per_file_ * num_fields_;
  const Index header_size = headers_bytes(blocks_per_file_, num_fields_);
  if (file_bytes < header_size) return std::shared_ptr<const BlockFile>(block_file);
  std::vector<std::byte> bytes(static_cast<std::size_t>(header_size));
  ESKER_RETURN_IF_ERROR((*opened)->read_at(bytes, 0));
  auto entries = decode_headers(bytes, num_entries, file_bytes);
  if (!entries.ok()) return entries.status().with_context(name);
  block_file->file = std::move(*opened);
  block_file->entries = std::move(*entries);
  return std::shared_ptr<const BlockFile>(block_file);
}

}  // namespace esker::idx
