#include "read/opened_dataset.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "grid/selection.h"

namespace esker {

Result<Lattice> OpenedDataset::samples_up_to(int field, const Box& samples, int level) const {
  if (level == kEveryLevel) return select_every(samples, {1, 1, 1, 1, 1});
  ESKER_ASSIGN_OR_RETURN(const Bitmask mask, bitmask(field));
  return select_samples(mask, samples, level);
}

Result<int> OpenedDataset::level_field(int field, int level) const {
  const Field& of = field_at(field);
  const auto& mesh = schema.grid_of(of).mesh;
  if (!mesh)
    return error(Code::kInvalidArgument, "field '{}' is not on a mesh, and has no mesh levels", of.name);
  if (level < 0 || level >= mesh->num_levels()) {
    return error(Code::kInvalidArgument, "field '{}': mesh level {}, expected 0 to {}", of.name, level,
                 mesh->num_levels() - 1);
  }
  return error(Code::kUnsupported,
               "field '{}': this dataset stores of each level what no finer one covers; only format=vtkhdf "
               "stores whole levels",
               of.name);
}

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
