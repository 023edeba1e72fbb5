// ByteSource: where the bytes of a dataset come from, if not from files of this machine.
//
//   esker::OpenOptions options;
//   options.source = std::make_shared<MyObjectStore>("bucket");
//   auto ds = esker::Dataset::open("runs/run.idx", options).value();  // paths as the source takes them
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "esker/box.hpp"
#include "esker/export.h"
#include "esker/status.hpp"

namespace esker {

/// Implemented by the caller, for a web server, an object store, an archive. Only for reading. Functions are
/// called from several threads at once; what they throw ends the call with kInternal. A file is taken to stay
/// as it is for as long as a dataset is open.
class ESKER_API ByteSource {
 public:
  virtual ~ByteSource();

  /// Of a file. kNotFound says that there is none, and means no more than that: other errors are told.
  virtual Result<Index> size_bytes(const std::string& path) const = 0;
  /// Fills `bytes` from `offset` on, which is in the file. An error unless they are all there.
  virtual Status read(const std::string& path, Index offset, std::span<std::byte> bytes) const = 0;
  /// Names in a directory, in any order; empty if there is none. kUnsupported where that cannot be known:
  /// what needs it (counting files, verifying) then fails, but reading does not.
  virtual Result<std::vector<std::string>> list(const std::string& directory) const = 0;
};

}  // namespace esker
