#include "read/opened_dataset.h"

#include "base/error.h"

namespace esker {

Status OpenedDataset::verify_against(const ReadOriginal& /*original*/, VerifyReport& /*report*/,
                                     const std::function<void(double)>& /*progress*/) const {
  return error(Code::kUnsupported,
               "only IDX datasets record errors of compression; compare all values with `esker diff`");
}

}  // namespace esker
