#include "open_files.h"

#include <cerrno>
#include <cstdio>
#include <set>

namespace esker::netcdf_plugin {
namespace {

int code_of(Code code) {
  switch (code) {
    case Code::kOk:
      return NC_NOERR;
    case Code::kNotFound:
      return ENOENT;
    case Code::kOutOfRange:
      return NC_EINVALCOORDS;
    case Code::kInvalidArgument:
      return NC_EINVAL;
    case Code::kOutOfMemory:
      return NC_ENOMEM;
    case Code::kUnsupported:
      return EOPNOTSUPP;
    default:
      return EIO;
  }
}

}  // namespace

int reported(const Status& status) {
  static std::mutex mutex;
  static std::set<std::string> printed;
  const std::lock_guard lock(mutex);
  if (!status.ok() && printed.insert(status.message()).second) {
    std::fprintf(stderr, "esker: %s\n", status.message().c_str());
  }
  return code_of(status.code());
}

int OpenFiles::open(const char* path, int mode, int ncid) {
  if (mode & NC_WRITE) return NC_EPERM;
  auto view = View::open(path);
  if (!view.ok()) return reported(view.status());
  const std::lock_guard lock(mutex_);
  views_.insert_or_assign(ncid, std::move(*view));
  return NC_NOERR;
}

int OpenFiles::close(int ncid) {
  const std::lock_guard lock(mutex_);
  return views_.erase(ncid) == 1 ? NC_NOERR : NC_EBADID;
}

const View* OpenFiles::find(int ncid) {
  const std::lock_guard lock(mutex_);
  const auto found = views_.find(ncid);
  return found == views_.end() ? nullptr : &found->second;
}

}  // namespace esker::netcdf_plugin
