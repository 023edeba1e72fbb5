#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/max_part.h"
#include "store/store.h"

namespace esker {
namespace {

namespace fs = std::filesystem;

constexpr auto kLustreMagic = 0x0BD00BD0;

class PosixFile final : public File {
 public:
  PosixFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~PosixFile() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  Status write_at(std::span<const std::byte> bytes, Index offset) override {
    while (!bytes.empty()) {
      const ssize_t n = ::pwrite(descriptor_, bytes.data(), std::min(bytes.size(), max_part_bytes()), offset);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return system_error(errno, "write", path_);
      if (n == 0) return system_error(ENOSPC, "write", path_);
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      offset += n;
    }
    return {};
  }

  Status read_at(std::span<std::byte> bytes, Index offset) const override {
    while (!bytes.empty()) {
      const ssize_t n = ::pread(descriptor_, bytes.data(), std::min(bytes.size(), max_part_bytes()), offset);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return system_error(errno, "read", path_);
      if (n == 0) {
        return error(Code::kDataLoss, "read {}: file ends {} bytes before the end of what is expected there",
                     path_, bytes.size());
      }
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      offset += n;
    }
    return {};
  }

  Result<Index> size_bytes() const override {
    struct stat facts {};
    if (::fstat(descriptor_, &facts) != 0) return system_error(errno, "stat", path_);
    return static_cast<Index>(facts.st_size);
  }

  Status extend_to(Index size) override {
    ESKER_ASSIGN_OR_RETURN(const Index now, size_bytes());
    if (now >= size || ::ftruncate(descriptor_, size) == 0) return {};
    return system_error(errno, "extend", path_);
  }

  Status shrink_to(Index size) override {
    ESKER_ASSIGN_OR_RETURN(const Index now, size_bytes());
    if (now <= size || ::ftruncate(descriptor_, size) == 0) return {};
    return system_error(errno, "shrink", path_);
  }

  Status sync() override {
    return ::fdatasync(descriptor_) == 0 ? Status() : system_error(errno, "sync", path_);
  }

  Status close() override {
    const int descriptor = std::exchange(descriptor_, -1);
    if (descriptor < 0) return {};
    return ::close(descriptor) == 0 || errno == EINTR ? Status() : system_error(errno, "close", path_);
  }

 private:
  int descriptor_;
  std::string path_;
};

class PosixStore final : public Store {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    // O_NONBLOCK: a pipe in a file's place is refused below, and not waited for.
    const int flags = (mode == OpenMode::kRead ? O_RDONLY : O_RDWR | O_CREAT) | O_CLOEXEC | O_NONBLOCK;
    int descriptor = ::open(path.c_str(), flags, 0666);
    if (descriptor < 0 && errno == ENOENT && mode == OpenMode::kWrite) {
      ESKER_RETURN_IF_ERROR(make_directories(fs::path(path).parent_path().string()));
      descriptor = ::open(path.c_str(), flags, 0666);
    }
    if (descriptor < 0) return system_error(errno, "open", path);
    std::unique_ptr<File> file = std::make_unique<PosixFile>(descriptor, path);
    struct stat facts {};
    if (::fstat(descriptor, &facts) != 0) return system_error(errno, "stat", path);
    if (S_ISDIR(facts.st_mode)) return system_error(EISDIR, "open", path);
    if (!S_ISREG(facts.st_mode)) return error(Code::kIoError, "open {}: not a regular file", path);
    return file;
  }

  // Written under another name and linked: whoever sees the file sees all of it, also after a kill in
  // between.
  Status create_exclusive(const std::string& path, const std::string& text) override {
    const std::string beside = path + "." + std::to_string(::getpid()) + ".new";
    const Status written = write_new(beside, text, O_TRUNC);
    const bool linked = written.ok() && ::link(beside.c_str(), path.c_str()) == 0;
    const int reason = errno;
    (void)remove(beside);
    ESKER_RETURN_IF_ERROR(written);
    if (!linked && (reason == EPERM || reason == ENOTSUP)) {  // a file system without links
      return write_new(path, text, O_EXCL);
    }
    return linked ? Status() : system_error(reason, "create", path);
  }

  Status make_directories(const std::string& path) override {
    std::error_code failure;
    if (!path.empty()) fs::create_directories(path, failure);
    return check(failure, "make directory", path);
  }

  Status rename(const std::string& from, const std::string& to) override {
    return ::rename(from.c_str(), to.c_str()) == 0 ? Status()
                                                   : system_error(errno, "rename " + from + " to", to);
  }

  Status remove(const std::string& path) override {
    return ::unlink(path.c_str()) == 0 || errno == ENOENT ? Status() : system_error(errno, "remove", path);
  }

  Status remove_all(const std::string& path) override {
    std::error_code failure;
    fs::remove_all(path, failure);
    return check(failure, "remove", path);
  }

  Status sync_directory(const std::string& path) override {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return system_error(errno, "open directory", path);
    const int result = ::fsync(descriptor);
    const int reason = errno;
    ::close(descriptor);
    return result == 0 ? Status() : system_error(reason, "sync directory", path);
  }

  Result<bool> exists(const std::string& path) const override {
    std::error_code failure;
    const bool found = fs::exists(path, failure);
    if (failure) return check(failure, "look for", path);
    return found;
  }

  Result<bool> is_directory(const std::string& path) const override {
    std::error_code failure;
    const fs::file_status status = fs::status(path, failure);
    if (!fs::status_known(status)) return check(failure, "look for", path);
    return fs::is_directory(status);
  }

  Result<Index> free_bytes(const std::string& path) const override {
    struct statvfs facts {};
    if (::statvfs(nearest_existing(path).c_str(), &facts) != 0) {
      return system_error(errno, "ask for free space at", path);
    }
    return checked_mul<Index>(static_cast<Index>(facts.f_bavail), static_cast<Index>(facts.f_frsize))
        .value_or(std::numeric_limits<Index>::max());
  }

  Striping striping(const std::string& path) const override {
    const std::string existing = nearest_existing(path);
    struct statfs facts {};
    const bool is_lustre = ::statfs(existing.c_str(), &facts) == 0 && facts.f_type == kLustreMagic;
    return is_lustre ? lustre_striping(existing) : Striping();
  }

  Result<std::vector<std::string>> list(const std::string& path) const override {
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
    std::vector<std::string> names;
    if (!directory && (errno == ENOENT || errno == ENOTDIR)) return names;
    if (!directory) return system_error(errno, "list", path);
    errno = 0;
    while (const dirent* entry = ::readdir(directory.get())) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
      errno = 0;
    }
    if (errno != 0) return system_error(errno, "list", path);
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  /// `path`, or the nearest directory above it that there is.
  static std::string nearest_existing(const std::string& path) {
    fs::path existing = path.empty() ? "." : path;
    std::error_code ignored;
    while (!fs::exists(existing, ignored) && existing.has_relative_path()) existing = existing.parent_path();
    return existing.empty() ? "." : existing.string();
  }

  static Status write_new(const std::string& path, const std::string& text, int flags) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    if (descriptor < 0) return system_error(errno, "create", path);
    PosixFile file(descriptor, path);
    ESKER_RETURN_IF_ERROR(file.write_at(std::as_bytes(std::span(text)), 0));
    return file.close();
  }

  static Status check(const std::error_code& failure, const std::string& operation, const std::string& path) {
    return failure ? system_error(failure.value(), operation, path) : Status();
  }
};

}  // namespace

std::shared_ptr<Store> posix_store() { return std::make_shared<PosixStore>(); }

}  // namespace esker
