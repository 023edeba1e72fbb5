// Converts the arguments of C (numbers, arrays, plain ints) to those of the C++ interface, with all checks.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "base/counting.h"
#include "base/error.h"
#include "esker/esker.h"
#include "esker/types/dataset_info.hpp"
#include "esker/types/lattice.hpp"
#include "esker/types/schema.hpp"

namespace esker::capi {

Result<SampleType> to_type(esker_type type);

/// kInvalidArgument for an object that attributes cannot belong to.
Status no_object(esker_object object);

/// The element with that number. kOutOfRange: "no field has the number 17; there are 3".
template <class T>
Result<const T*> element(const std::vector<T>& list, int64_t number, const char* kind) {
  if (number >= 0 && static_cast<std::size_t>(number) < list.size()) {
    return &list[static_cast<std::size_t>(number)];
  }
  return error(Code::kOutOfRange, "no {} has the number {}; there are {}", kind, counted(number),
               list.size());
}

/// The box of `rank` axes from its lower corner and extent. Errors: kInvalidArgument (an extent below 0),
/// kOutOfRange (beyond 64 bits).
Result<Box> to_box(int rank, const int64_t* lo, const int64_t* extent);

/// The first `rank` entries of `point` to an array that may be absent.
template <class T>
void give_point(T* to, const std::array<T, kMaxRank>& point, int rank) {
  if (to) std::copy_n(point.begin(), rank, to);
}

/// The first `rank` entries of a point from an array; NULL leaves them as they are.
template <class T>
void take_point(std::array<T, kMaxRank>& point, const T* from, int rank) {
  if (from) std::copy_n(from, rank, point.begin());
}

esker_stored_samples to_c(const StoredSamples& samples);

/// `count` numbers of `type`, copied. kInvalidArgument for another type, a count below 0, or NULL.
Result<Numbers> to_numbers(esker_type type, const void* values, int64_t count);

/// Address (in the schema) and number of the values of an attribute; each may be NULL.
void give_list(const AttributeValue& value, const void** values, int64_t* count);

/// A C array as a vector. kInvalidArgument for a count below 0, or NULL with a count above.
template <class T>
Result<std::vector<T>> to_vector(const T* values, int64_t count, const char* name) {
  if (count < 0) return error(Code::kInvalidArgument, "{} {}, expected 0 or more", name, count);
  if (count > 0 && !values)
    return error(Code::kInvalidArgument, "{} is NULL, expected {} values", name, count);
  return std::vector<T>(values, values + count);
}

}  // namespace esker::capi
