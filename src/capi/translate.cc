#include "capi/translate.h"

#include <string>
#include <type_traits>

#include "base/checked.h"
#include "base/macros.h"

namespace esker::capi {

Result<SampleType> to_type(esker_type type) {
  if (type >= ESKER_INT8 && type <= ESKER_FLOAT64) return static_cast<SampleType>(type);
  return error(Code::kInvalidArgument, "type {} does not exist", type);
}

Result<Numbers> to_numbers(esker_type type, const void* values, int64_t count) {
  ESKER_ASSIGN_OR_RETURN(const SampleType sample_type, to_type(type));
  ESKER_ASSIGN_OR_RETURN(Numbers numbers, esker::to_type(Numbers(std::vector<double>()), sample_type));
  Status status;
  std::visit(
      [&](auto& list) {
        using T = typename std::decay_t<decltype(list)>::value_type;
        auto copied = to_vector(static_cast<const T*>(values), count, "count");
        status = copied.status();
        if (copied.ok()) list = *std::move(copied);
      },
      numbers);
  if (!status.ok()) return status;
  return numbers;
}

void give_list(const AttributeValue& value, const void** values, int64_t* count) {
  std::visit(
      [&](const auto& list) {
        if constexpr (requires { list.data(); }) {
          if (values) *values = list.data();
          if (count) *count = static_cast<int64_t>(list.size());
        }
      },
      value);
}

Status no_object(esker_object object) {
  return error(Code::kInvalidArgument,
               "object {}, expected ESKER_DATASET, ESKER_GRID, ESKER_FIELD, ESKER_DIM, ESKER_TIME or "
               "ESKER_SCALAR",
               object);
}

Result<Box> to_box(int rank, const int64_t* lo, const int64_t* extent) {
  Box box = Box::from_extent(rank, Point{});
  for (int a = 0; a < rank; ++a) {
    if (extent[a] < 0) {
      return error(Code::kInvalidArgument, "extent {} on axis {}, expected 0 or more", extent[a], counted(a));
    }
    const auto hi = checked_add<Index>(lo[a], extent[a]);
    if (!hi)
      return error(Code::kOutOfRange, "lo {} + extent {} on axis {} exceeds 64 bits", counted(lo[a]),
                   extent[a], counted(a));
    box.lo[a] = lo[a];
    box.hi[a] = *hi;
  }
  return box;
}

esker_stored_samples to_c(const StoredSamples& samples) {
  return {samples.primary, samples.secondary, samples.padding, samples.blocks};
}

}  // namespace esker::capi
