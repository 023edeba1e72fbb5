// System calls that a signal interrupts are repeated. This program replaces the calls by ones that sometimes
// fail with EINTR.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <filesystem>

#include "store/store.h"

namespace {

int calls_to_interrupt = 0, calls_interrupted = 0;

/// Interrupts every second call while interruptions are left.
bool interrupts() {
  static bool is_second = false;
  is_second = !is_second;
  if (calls_to_interrupt == 0 || !is_second) return false;
  --calls_to_interrupt;
  ++calls_interrupted;
  errno = EINTR;
  return true;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

// NOLINTBEGIN: as the system declares them
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : mode_t{0};
  va_end(more);
  using Open = int (*)(const char*, int, ...);
  return interrupts() ? -1 : real<Open>("open")(path, flags, mode);
}
int fdatasync(int descriptor) { return interrupts() ? -1 : real<int (*)(int)>("fdatasync")(descriptor); }
int fsync(int descriptor) { return interrupts() ? -1 : real<int (*)(int)>("fsync")(descriptor); }
int ftruncate(int descriptor, off_t size) noexcept {
  return interrupts() ? -1 : real<int (*)(int, off_t)>("ftruncate")(descriptor, size);
}
int rename(const char* from, const char* to) noexcept {
  return interrupts() ? -1 : real<int (*)(const char*, const char*)>("rename")(from, to);
}
int unlink(const char* path) noexcept {
  return interrupts() ? -1 : real<int (*)(const char*)>("unlink")(path);
}
int link(const char* from, const char* to) noexcept {
  return interrupts() ? -1 : real<int (*)(const char*, const char*)>("link")(from, to);
}
ssize_t pread(int descriptor, void* bytes, size_t n, off_t offset) {
  using Read = ssize_t (*)(int, void*, size_t, off_t);
  return interrupts() ? -1 : real<Read>("pread")(descriptor, bytes, n, offset);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t n, off_t offset) {
  using Write = ssize_t (*)(int, const void*, size_t, off_t);
  return interrupts() ? -1 : real<Write>("pwrite")(descriptor, bytes, n, offset);
}
// NOLINTEND
}

namespace esker {
namespace {

TEST(InterruptedCalls, AreRepeated) {
  namespace fs = std::filesystem;
  const fs::path top = fs::temp_directory_path() / ("esker-interrupted-" + std::to_string(::getpid()));
  fs::remove_all(top);
  const auto path = [&](const char* name) { return (top / "deep" / name).string(); };
  const auto store = posix_store();
  const auto write_and_read = [&] {
    const auto file = store->open(path("a"), OpenMode::kWrite).value();
    const std::string text = "some bytes";
    file->write_at(std::as_bytes(std::span(text)), 0).check();
    file->extend_to(100).check();
    file->shrink_to(10).check();
    file->sync().check();
    file->close().check();
    store->create_exclusive(path("b"), "b").check();
    store->rename(path("b"), path("c")).check();
    store->sync_directory((top / "deep").string()).check();
    EXPECT_EQ(read_text(*store, path("a"), 100).value(), text);
    store->remove(path("c")).check();
    EXPECT_EQ(store->list((top / "deep").string()).value(), (std::vector<std::string>{"a"}));
  };
  write_and_read();
  calls_to_interrupt = 1000;
  write_and_read();
  calls_to_interrupt = 0;
  EXPECT_GE(calls_interrupted, 12);
  fs::remove_all(top);
}

}  // namespace
}  // namespace esker
