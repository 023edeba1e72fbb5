#include "esker/verify.hpp"

#include <utility>

#include "api/within_memory.h"
#include "formats/registry/verify.h"
#include "store/source_store.h"

namespace esker {

Result<VerifyReport> verify(const std::string& path, const std::function<void(double)>& progress,
                            std::shared_ptr<const ByteSource> source) {
  return within_memory([&] {
    const auto store = source ? source_store(std::move(source)) : posix_store();
    return verify_dataset(store, path, progress);
  });
}

}  // namespace esker
