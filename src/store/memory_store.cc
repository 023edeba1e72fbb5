#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <mutex>
#include <set>

#include "base/error.h"
#include "base/macros.h"
#include "store/store.h"

namespace esker {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

struct Content {
  mutable std::mutex mutex;
  std::vector<std::byte> bytes;  // the first ones; missing bytes read as zeros
  std::size_t size = 0;
};

class MemoryFile final : public File {
 public:
  MemoryFile(std::shared_ptr<Content> content, std::string path, OpenMode mode, std::size_t kept)
      : content_(std::move(content)), path_(std::move(path)), mode_(mode), kept_(kept) {}

  Status write_at(std::span<const std::byte> bytes, Index offset) override {
    if (mode_ == OpenMode::kRead) return system_error(EBADF, "write", path_);
    const std::scoped_lock lock(content_->mutex);
    const auto begin = static_cast<std::size_t>(offset);
    content_->size = std::max(content_->size, begin + bytes.size());
    const std::size_t end = std::min(kept_, begin + bytes.size());
    if (begin >= end) return {};
    if (content_->bytes.size() < end) content_->bytes.resize(end);
    std::copy_n(bytes.begin(), end - begin, content_->bytes.begin() + offset);
    return {};
  }

  Status read_at(std::span<std::byte> bytes, Index offset) const override {
    const std::scoped_lock lock(content_->mutex);
    const auto begin = static_cast<std::size_t>(offset);
    const std::size_t end = begin + bytes.size();
    if (content_->size < end) {
      return error(Code::kDataLoss, "read {}: the file ends {} bytes before the end of the requested range",
                   path_, end - std::max(content_->size, begin));
    }
    std::fill(bytes.begin(), bytes.end(), std::byte{});
    const std::size_t here = std::min(end, content_->bytes.size());
    if (begin < here) std::copy_n(content_->bytes.begin() + offset, here - begin, bytes.begin());
    return {};
  }

  Result<Index> size_bytes() const override {
    const std::scoped_lock lock(content_->mutex);
    return static_cast<Index>(content_->size);
  }

  Status extend_to(Index size) override {
    const std::scoped_lock lock(content_->mutex);
    content_->size = std::max(content_->size, static_cast<std::size_t>(size));
    return {};
  }

  Status shrink_to(Index size) override {
    const std::scoped_lock lock(content_->mutex);
    content_->size = std::min(content_->size, static_cast<std::size_t>(size));
    content_->bytes.resize(std::min(content_->bytes.size(), content_->size));
    return {};
  }

  Status sync() override { return {}; }
  Status close() override { return {}; }

 private:
  std::shared_ptr<Content> content_;
  std::string path_;
  OpenMode mode_;
  std::size_t kept_;
};

/// Paths are compared as written, without a leading "./". Directories exist if they contain files or were
/// created.
class MemoryStore final : public Store {
 public:
  /// Keeps the first `kept` bytes of each file.
  explicit MemoryStore(std::size_t kept) : kept_(kept) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    const std::scoped_lock lock(mutex_);
    const std::string key = normal(path);
    if (has_directory(key)) return system_error(EISDIR, "open", path);
    auto found = files_.find(key);
    if (found == files_.end()) {
      if (mode == OpenMode::kRead) return system_error(ENOENT, "open", path);
      found = files_.emplace(key, std::make_shared<Content>()).first;
    }
    return std::unique_ptr<File>(std::make_unique<MemoryFile>(found->second, path, mode, kept_));
  }

  Status create_exclusive(const std::string& path, const std::string& text) override {
    const std::scoped_lock lock(mutex_);
    auto [entry, is_new] = files_.emplace(normal(path), std::make_shared<Content>());
    if (!is_new) return system_error(EEXIST, "create", path);
    const auto bytes = std::as_bytes(std::span(text));
    entry->second->bytes.assign(bytes.begin(), bytes.end());
    entry->second->size = bytes.size();
    return {};
  }

  Status make_directories(const std::string& path) override {
    const std::scoped_lock lock(mutex_);
    const std::string key = normal(path);
    if (files_.contains(key)) return system_error(ENOTDIR, "make directory", path);
    directories_.insert(key);
    return {};
  }

  Status rename(const std::string& from, const std::string& to) override {
    const std::scoped_lock lock(mutex_);
    auto moved = files_.extract(normal(from));
    if (moved.empty()) return system_error(ENOENT, "rename " + from + " to", to);
    files_.erase(normal(to));
    moved.key() = normal(to);
    files_.insert(std::move(moved));
    return {};
  }

  Status remove(const std::string& path) override {
    const std::scoped_lock lock(mutex_);
    files_.erase(normal(path));
    return {};
  }

  Status remove_all(const std::string& path) override {
    const std::scoped_lock lock(mutex_);
    const std::string key = normal(path);
    std::erase_if(files_,
                  [&](const auto& file) { return file.first == key || file.first.starts_with(key + "/"); });
    std::erase_if(directories_, [&](const auto& name) { return name == key || name.starts_with(key + "/"); });
    return {};
  }

  Status sync_directory(const std::string& path) override {
    const std::scoped_lock lock(mutex_);
    const std::string key = normal(path);
    return key.empty() || has_directory(key) ? Status() : system_error(ENOENT, "open directory", path);
  }

  Result<bool> exists(const std::string& path) const override {
    const std::scoped_lock lock(mutex_);
    const std::string key = normal(path);
    return files_.contains(key) || has_directory(key);
  }

  Result<bool> is_directory(const std::string& path) const override {
    const std::scoped_lock lock(mutex_);
    return has_directory(normal(path));
  }

  Result<Index> free_bytes(const std::string&) const override { return std::numeric_limits<Index>::max(); }

  std::string boot() const override { return "memory"; }  // memory is lost with the process

  Result<std::vector<std::string>> list(const std::string& path) const override {
    const std::scoped_lock lock(mutex_);
    const std::string key = normal(path);
    const std::string prefix = key.empty() ? "" : key + "/";
    std::set<std::string> names;
    const auto add = [&](const std::string& name) {
      if (name.size() <= prefix.size() || !name.starts_with(prefix)) return;
      const std::string rest = name.substr(prefix.size());
      names.insert(rest.substr(0, rest.find('/')));
    };
    for (const auto& [name, content] : files_) add(name);
    for (const auto& name : directories_) add(name);
    return std::vector<std::string>(names.begin(), names.end());
  }

 private:
  static std::string normal(std::string path) {
    while (path.starts_with("./")) path.erase(0, 2);
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path == "." ? "" : path;
  }

  [[nodiscard]] bool has_directory(const std::string& key) const {
    const auto below = files_.lower_bound(key + "/");
    const bool holds_files = below != files_.end() && below->first.starts_with(key + "/");
    const auto made = directories_.lower_bound(key);
    const bool was_made = made != directories_.end() && (*made == key || made->starts_with(key + "/"));
    return holds_files || was_made;
  }

  std::size_t kept_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Content>> files_;
  std::set<std::string> directories_;
};

}  // namespace

std::shared_ptr<Store> memory_store() { return std::make_shared<MemoryStore>(kAll); }

std::shared_ptr<Store> null_store() { return std::make_shared<MemoryStore>(std::size_t{64} << 10); }

}  // namespace esker
