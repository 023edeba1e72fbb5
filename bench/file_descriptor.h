// FileDescriptor: an open file, for the cases that write plain files. Errors are thrown, and name the file.
#pragma once

#include <cstddef>
#include <string>

#include "workload.h"

namespace bench {

class FileDescriptor {
 public:
  /// As for open(2); new files get the permissions 0666.
  FileDescriptor(const std::string& path, int flags);
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  /// Writes or reads all bytes, with calls of at most 1 GiB.
  void write_at(const void* data, std::size_t bytes, Index offset);
  void read_at(void* data, std::size_t bytes, Index offset);

 private:
  template <class Call>
  void transfer(const char* what, std::size_t bytes, Index offset, const Call& call);

  std::string path_;
  int number_;
};

}  // namespace bench
