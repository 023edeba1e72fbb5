#include "esker/verify.hpp"

#include "read/verify.h"

namespace esker {

Result<VerifyReport> verify(const std::string& path, const std::function<void(double)>& progress) {
  return idx::verify(posix_store(), path, progress);
}

}  // namespace esker
