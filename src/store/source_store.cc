#include "store/source_store.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"

namespace esker {

ByteSource::~ByteSource() = default;

namespace {

Status cannot_write(const std::string& path) {
  return error(Code::kUnsupported, "{}: cannot write to a source, which is read only", path);
}

class SourceFile final : public File {
 public:
  SourceFile(std::shared_ptr<const ByteSource> source, std::string path, Index size_bytes)
      : source_(std::move(source)), path_(std::move(path)), size_bytes_(size_bytes) {}

  Status read_at(std::span<std::byte> bytes, Index offset) const override {
    const auto n = static_cast<Index>(bytes.size());
    if (n == 0) return {};
    if (offset < 0 || offset > size_bytes_ || n > size_bytes_ - offset) {
      return error(Code::kDataLoss, "{}: expected {} bytes from byte {}, the file has {}", path_, n, offset,
                   size_bytes_);
    }
    if (n > kSmallBytes) return fetch(bytes, offset);
    for (Index done = 0; done < n;) {
      const Index page = (offset + done) / kPageBytes, in_page = (offset + done) % kPageBytes;
      ESKER_ASSIGN_OR_RETURN(const Page found, page_at(page));
      const Index part = std::min(n - done, static_cast<Index>(found->size()) - in_page);
      std::memcpy(bytes.data() + done, found->data() + in_page, static_cast<std::size_t>(part));
      done += part;
    }
    return {};
  }
  [[nodiscard]] Index cheap_gap_bytes() const override { return Index{256} << 10; }
  [[nodiscard]] Result<Index> size_bytes() const override { return size_bytes_; }
  Status write_at(std::span<const std::byte> /*bytes*/, Index /*offset*/) override { return refuse(); }
  Status extend_to(Index /*size_bytes*/) override { return refuse(); }
  Status shrink_to(Index /*size_bytes*/) override { return refuse(); }
  Status sync() override { return refuse(); }
  Status close() override { return {}; }

 private:
  static constexpr Index kSmallBytes = Index{16} << 10, kPageBytes = Index{64} << 10;
  static constexpr std::size_t kMostPages = 16;
  using Page = std::shared_ptr<const std::vector<std::byte>>;

  [[nodiscard]] Status refuse() const { return cannot_write(path_); }

  [[nodiscard]] Status fetch(std::span<std::byte> bytes, Index offset) const {
    return guarded("read", [&] { return source_->read(path_, offset, bytes); });
  }

  [[nodiscard]] Result<Page> page_at(Index number) const {
    const Index begin = number * kPageBytes;
    std::unique_lock lock(mutex_);
    for (;;) {
      if (const Page known = find(number)) return known;
      if (!fetching_.contains(number)) break;
      fetched_.wait(lock);  // another thread is fetching it
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(kPageBytes, size_bytes_ - begin)));
    fetching_.insert(number);
    lock.unlock();
    const Status status = fetch(bytes, begin);
    lock.lock();
    fetching_.erase(number);
    fetched_.notify_all();
    ESKER_RETURN_IF_ERROR(status);
    recent_.emplace_front(number, std::make_shared<const std::vector<std::byte>>(std::move(bytes)));
    if (recent_.size() > kMostPages) recent_.pop_back();
    return recent_.front().second;
  }

  /// Null if it is not cached.
  [[nodiscard]] Page find(Index number) const {
    const auto found =
        std::find_if(recent_.begin(), recent_.end(), [&](const auto& page) { return page.first == number; });
    if (found == recent_.end()) return nullptr;
    recent_.splice(recent_.begin(), recent_, found);
    return found->second;
  }

  std::shared_ptr<const ByteSource> source_;
  std::string path_;
  Index size_bytes_;
  mutable std::mutex mutex_;
  mutable std::condition_variable fetched_;
  mutable std::set<Index> fetching_;                  // pages that a thread is fetching
  mutable std::list<std::pair<Index, Page>> recent_;  // most recent first
};

class SourceStore final : public Store {
 public:
  explicit SourceStore(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    if (mode != OpenMode::kRead) return cannot_write(path);
    ESKER_ASSIGN_OR_RETURN(const auto size, size_of(path));
    if (!size) return error(Code::kNotFound, "{}: no such file", path);
    return std::unique_ptr<File>(std::make_unique<SourceFile>(source_, path, *size));
  }
  [[nodiscard]] Result<bool> exists(const std::string& path) const override {
    ESKER_ASSIGN_OR_RETURN(const auto size, size_of(path));
    return size.has_value();
  }
  /// A path that has bytes is not a directory.
  [[nodiscard]] Result<bool> is_directory(const std::string& /*path*/) const override { return false; }
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& path) const override {
    std::vector<std::string> names;
    const auto ask = [&]() -> Status {
      ESKER_ASSIGN_OR_RETURN(names, source_->list(path));
      return {};
    };
    ESKER_RETURN_IF_ERROR(guarded("list", ask));
    std::sort(names.begin(), names.end());
    return names;
  }
  [[nodiscard]] bool is_local() const override { return false; }

  Status create_exclusive(const std::string& path, const std::string& /*text*/) override {
    return cannot_write(path);
  }
  Status make_directories(const std::string& path) override { return cannot_write(path); }
  Status rename(const std::string& from, const std::string& /*to*/) override { return cannot_write(from); }
  Status remove(const std::string& path) override { return cannot_write(path); }
  Status remove_all(const std::string& path) override { return cannot_write(path); }
  Status sync_directory(const std::string& path) override { return cannot_write(path); }
  [[nodiscard]] Result<Index> free_bytes(const std::string& path) const override {
    return cannot_write(path);
  }

 private:
  /// Of a file; nothing if it does not exist.
  [[nodiscard]] Result<std::optional<Index>> size_of(const std::string& path) const {
    {
      const std::scoped_lock lock(mutex_);
      if (const auto known = sizes_.find(path); known != sizes_.end()) return known->second;
    }
    std::optional<Index> size;
    const auto ask = [&]() -> Status {
      const auto found = source_->size_bytes(path);
      if (found.status().code() == Code::kNotFound) return {};
      ESKER_RETURN_IF_ERROR(found.status());
      size = *found;
      return *size >= 0 ? Status()
                        : error(Code::kDataLoss, "{}: the source returned a size of {} bytes", path, *size);
    };
    ESKER_RETURN_IF_ERROR(guarded("size", ask));
    const std::scoped_lock lock(mutex_);
    if (sizes_.size() >= kMostSizes) sizes_.clear();
    return sizes_[path] = size;
  }

  static constexpr std::size_t kMostSizes = 4096;

  std::shared_ptr<const ByteSource> source_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::optional<Index>> sizes_;
};

}  // namespace

std::shared_ptr<Store> source_store(std::shared_ptr<const ByteSource> source) {
  return std::make_shared<SourceStore>(std::move(source));
}

}  // namespace esker
