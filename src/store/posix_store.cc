#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <random>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/max_part.h"
#include "base/system.h"
#include "store/store.h"

namespace esker {
namespace {

namespace fs = std::filesystem;

/// Repeats `call` until no signal interrupts it: some file systems let signals interrupt any call.
template <class Call>
auto retried(const Call& call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

int open_file(const std::string& path, int flags) {
  return retried([&] { return ::open(path.c_str(), flags, 0666); });
}

int stat_file(int descriptor, struct stat& facts) {
  return retried([&] { return ::fstat(descriptor, &facts); });
}

/// The same for std::filesystem; returns the final error.
template <class Call>
std::error_code failure_of(const Call& call) {
  std::error_code failure;
  do {
    failure.clear();
    call(failure);
  } while (failure == std::errc::interrupted);
  return failure;
}

class PosixFile final : public File {
 public:
  PosixFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~PosixFile() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  Status write_at(std::span<const std::byte> bytes, Index offset) override {
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(bytes.size(), max_part_bytes()));
      const ssize_t n = retried([&] { return ::pwrite(descriptor_, part.data(), part.size(), offset); });
      if (n < 0) return system_error(errno, "write", path_);
      if (n == 0) return system_error(ENOSPC, "write", path_);
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      offset += n;
    }
    return {};
  }

  Status read_at(std::span<std::byte> bytes, Index offset) const override {
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(bytes.size(), max_part_bytes()));
      const ssize_t n = retried([&] { return ::pread(descriptor_, part.data(), part.size(), offset); });
      if (n < 0) return system_error(errno, "read", path_);
      if (n == 0) {
        return error(Code::kDataLoss, "read {}: the file ends {} bytes before the end of the requested range",
                     path_, bytes.size());
      }
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      offset += n;
    }
    return {};
  }

  Result<Index> size_bytes() const override {
    struct stat facts {};
    if (stat_file(descriptor_, facts) != 0) return system_error(errno, "stat", path_);
    return static_cast<Index>(facts.st_size);
  }

  Status extend_to(Index size) override {
    ESKER_ASSIGN_OR_RETURN(const Index now, size_bytes());
    if (now >= size || truncate(size) == 0) return {};
    return system_error(errno, "extend", path_);
  }

  Status shrink_to(Index size) override {
    ESKER_ASSIGN_OR_RETURN(const Index now, size_bytes());
    if (now <= size || truncate(size) == 0) return {};
    return system_error(errno, "shrink", path_);
  }

  Status sync() override {
    const int result = retried([&] { return sync_data(descriptor_); });
    return result == 0 ? Status() : system_error(errno, "sync", path_);
  }

  Status close() override {
    const int descriptor = std::exchange(descriptor_, -1);
    if (descriptor < 0) return {};
    return ::close(descriptor) == 0 || errno == EINTR ? Status() : system_error(errno, "close", path_);
  }

 private:
  int truncate(Index size) {
    return retried([&] { return ::ftruncate(descriptor_, size); });
  }

  int descriptor_;
  std::string path_;
};

class PosixStore final : public Store {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    // O_NONBLOCK: a pipe in place of a file is rejected below, without waiting for it.
    const int flags = (mode == OpenMode::kRead ? O_RDONLY : O_RDWR | O_CREAT) | O_CLOEXEC | O_NONBLOCK;
    int descriptor = open_file(path, flags);
    if (descriptor < 0 && errno == ENOENT && mode == OpenMode::kWrite) {
      ESKER_RETURN_IF_ERROR(make_directories(fs::path(path).parent_path().string()));
      descriptor = open_file(path, flags);
    }
    if (descriptor < 0) return system_error(errno, "open", path);
    std::unique_ptr<File> file = std::make_unique<PosixFile>(descriptor, path);
    struct stat facts {};
    if (stat_file(descriptor, facts) != 0) return system_error(errno, "stat", path);
    if (S_ISDIR(facts.st_mode)) return system_error(EISDIR, "open", path);
    if (!S_ISREG(facts.st_mode)) return error(Code::kIoError, "open {}: not a regular file", path);
    return file;
  }

  // Written under another name and linked: a program that sees the file sees all of it, also after a kill in
  // between.
  Status create_exclusive(const std::string& path, const std::string& text) override {
    ESKER_ASSIGN_OR_RETURN(const std::string temporary, write_temporary(path, text));
    const bool linked = retried([&] { return ::link(temporary.c_str(), path.c_str()); }) == 0;
    const int reason = errno;
    (void)remove(temporary);
    if (linked) return {};
    if (reason == EPERM || reason == ENOTSUP) return write_new(path, text);  // a file system without links
    // The temporary file is gone: the process that created `path` has removed it.
    return system_error(reason == ENOENT ? EEXIST : reason, "create", path);
  }

  Status make_directories(const std::string& path) override {
    if (path.empty()) return {};
    return check(failure_of([&](std::error_code& failure) { fs::create_directories(path, failure); }),
                 "make directory", path);
  }

  Status rename(const std::string& from, const std::string& to) override {
    const int result = retried([&] { return ::rename(from.c_str(), to.c_str()); });
    return result == 0 ? Status() : system_error(errno, "rename " + from + " to", to);
  }

  Status remove(const std::string& path) override {
    const int result = retried([&] { return ::unlink(path.c_str()); });
    return result == 0 || errno == ENOENT ? Status() : system_error(errno, "remove", path);
  }

  Status remove_all(const std::string& path) override {
    return check(failure_of([&](std::error_code& failure) { fs::remove_all(path, failure); }), "remove",
                 path);
  }

  Status sync_directory(const std::string& path) override {
    const int descriptor = open_file(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return system_error(errno, "open directory", path);
    const int result = retried([&] { return ::fsync(descriptor); });
    const int reason = errno;
    ::close(descriptor);
    return result == 0 ? Status() : system_error(reason, "sync directory", path);
  }

  Result<bool> exists(const std::string& path) const override {
    bool found = false;
    const auto failure = failure_of([&](std::error_code& code) { found = fs::exists(path, code); });
    if (failure) return check(failure, "look for", path);
    return found;
  }

  Result<bool> is_directory(const std::string& path) const override {
    fs::file_status status;
    const auto failure = failure_of([&](std::error_code& code) { status = fs::status(path, code); });
    if (!fs::status_known(status)) return check(failure, "look for", path);
    return fs::is_directory(status);
  }

  Result<std::string> follow_link(const std::string& path) const override {
    std::error_code failure;
    const fs::path target = fs::read_symlink(path, failure);
    if (failure == std::errc::invalid_argument || failure == std::errc::no_such_file_or_directory)
      return path;
    if (failure) return system_error(failure.value(), "follow", path);
    return (fs::path(path).parent_path() / target).string();
  }

  Result<bool> is_link(const std::string& path) const override {
    std::error_code failure;
    const fs::file_status status = fs::symlink_status(path, failure);
    if (!fs::status_known(status)) return check(failure, "look for", path);
    return fs::is_symlink(status);
  }

  Result<Index> free_bytes(const std::string& path) const override {
    struct statvfs facts {};
    const std::string existing = nearest_existing(path);
    if (retried([&] { return ::statvfs(existing.c_str(), &facts); }) != 0) {
      return system_error(errno, "get the free space of", path);
    }
    return checked_mul<Index>(static_cast<Index>(facts.f_bavail), static_cast<Index>(facts.f_frsize))
        .value_or(std::numeric_limits<Index>::max());
  }

  Striping striping(const std::string& path) const override {
    const std::string existing = nearest_existing(path);
    return is_on_lustre(existing) ? lustre_striping(existing) : Striping();
  }

  std::string boot() const override { return boot_id(); }

  Result<std::vector<std::string>> list(const std::string& path) const override {
    DIR* opened = nullptr;
    do {
      opened = ::opendir(path.c_str());
    } while (!opened && errno == EINTR);
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(opened, ::closedir);
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
  /// `path`, or its nearest existing parent directory.
  static std::string nearest_existing(const std::string& path) {
    fs::path existing = path.empty() ? "." : path;
    std::error_code ignored;
    while (!fs::exists(existing, ignored) && existing.has_relative_path()) existing = existing.parent_path();
    return existing.empty() ? "." : existing.string();
  }

  /// A new file in the directory of `path`, with an unpredictable name.
  static Result<std::string> write_temporary(const std::string& path, const std::string& text) {
    constexpr int kAttempts = 100;
    Status written;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::string name = fmt::format("{}.{}.{:08x}.new", path, ::getpid(), std::random_device()());
      written = write_new(name, text);
      if (written.ok()) return name;
      if (written.code() != Code::kAlreadyExists) break;
    }
    return written;
  }

  /// Does not follow links; a file that cannot be written completely is removed.
  static Status write_new(const std::string& path, const std::string& text) {
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int descriptor = open_file(path, flags);
    if (descriptor < 0) return system_error(errno, "create", path);
    PosixFile file(descriptor, path);
    Status written = file.write_at(std::as_bytes(std::span(text)), 0);
    if (written.ok()) written = file.close();
    if (!written.ok()) ::unlink(path.c_str());
    return written;
  }

  static Status check(const std::error_code& failure, const std::string& operation, const std::string& path) {
    return failure ? system_error(failure.value(), operation, path) : Status();
  }
};

}  // namespace

Result<std::unique_ptr<File>> open_unnamed(const std::string& directory) {
  const int descriptor = retried([&] { return open_unnamed_file(directory); });
  if (descriptor < 0) return system_error(errno, "create a temporary file in", directory);
  std::unique_ptr<File> file = std::make_unique<PosixFile>(descriptor, directory);
  return file;
}

std::shared_ptr<Store> posix_store() { return std::make_shared<PosixStore>(); }

}  // namespace esker
