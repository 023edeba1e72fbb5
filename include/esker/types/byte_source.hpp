// ByteSource: reads the bytes of a dataset from somewhere other than local files.
//
//   esker::OpenOptions options;
//   options.source = std::make_shared<MyObjectStore>("bucket");
//   auto ds = esker::Dataset::open("runs/run.idx", options).value();  // paths as the source takes them
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/export.h"
#include "esker/types/status.hpp"

namespace esker {

/// A read-only file interface, implemented by the caller: for example for a web server, an object store or an
/// archive. Its functions are called from several threads at once. If one of them throws, the call fails with
/// kInternal. Files are assumed not to change while a dataset is open.
class ESKER_API ByteSource {
 public:
  virtual ~ByteSource();

  /// Size of a file. Return kNotFound only if the file does not exist, and another code for any other
  /// failure.
  virtual Result<Index> size_bytes(const std::string& path) const = 0;
  /// Fills `bytes` from the file, starting at `offset`. Returns an error if the file ends before that.
  virtual Status read(const std::string& path, Index offset, std::span<std::byte> bytes) const = 0;
  /// Names of the files in a directory, in any order; empty if the directory does not exist. Return
  /// kUnsupported if the source cannot list files: operations that need a list (counting files, verifying)
  /// then fail, but reading works.
  virtual Result<std::vector<std::string>> list(const std::string& directory) const = 0;
};

}  // namespace esker
