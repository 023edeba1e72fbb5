#include "file_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace bench {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw std::system_error(errno, std::generic_category(), what + " " + path);
}

}  // namespace

FileDescriptor::FileDescriptor(const std::string& path, int flags)
    : path_(path), number_(::open(path.c_str(), flags, 0666)) {
  if (number_ < 0) fail("open", path);
}

FileDescriptor::~FileDescriptor() { ::close(number_); }

void FileDescriptor::write_at(const void* data, std::size_t bytes, Index offset) {
  transfer("write", bytes, offset, [&](std::size_t done, std::size_t count, Index at) {
    return ::pwrite(number_, static_cast<const char*>(data) + done, count, at);
  });
}

void FileDescriptor::read_at(void* data, std::size_t bytes, Index offset) {
  transfer("read", bytes, offset, [&](std::size_t done, std::size_t count, Index at) {
    return ::pread(number_, static_cast<char*>(data) + done, count, at);
  });
}

template <class Call>
void FileDescriptor::transfer(const char* what, std::size_t bytes, Index offset, const Call& call) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n =
        call(done, std::min(bytes - done, std::size_t{1} << 30), offset + static_cast<Index>(done));
    if (n <= 0) fail(what, path_);
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace bench
