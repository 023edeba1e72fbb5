#include "esker/verify.hpp"

#include "api/within_memory.h"
#include "read/verify.h"

namespace esker {

Result<VerifyReport> verify(const std::string& path, const std::function<void(double)>& progress) {
  return within_memory([&] { return verify_dataset(posix_store(), path, progress); });
}

}  // namespace esker
