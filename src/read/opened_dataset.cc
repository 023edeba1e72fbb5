#include "read/opened_dataset.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"

namespace esker {

Status OpenedDataset::stored_levels(int field, Index /*step*/, const Lattice& /*samples*/,
                                    std::span<std::int8_t> out) const {
  ESKER_ASSIGN_OR_RETURN(const Bitmask mask, bitmask(field));
  std::fill(out.begin(), out.end(), static_cast<std::int8_t>(mask.max_level()));
  return {};
}

Status OpenedDataset::verify_against(const ReadOriginal& /*original*/, VerifyReport& /*report*/,
                                     const std::function<void(double)>& /*progress*/) const {
  return error(Code::kUnsupported,
               "only IDX datasets record errors of compression; compare all values with `esker diff`");
}

}  // namespace esker
