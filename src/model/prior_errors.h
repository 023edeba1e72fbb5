// The attribute of a field whose samples had lost precision before they were written: a copy of a lossy
// field.
#pragma once

#include <optional>

#include "esker/types/dataset_info.hpp"
#include "esker/types/schema.hpp"

namespace esker {

/// Two numbers, the largest absolute error and the RMS error; NaN: there was a loss that no program recorded.
inline constexpr const char* kPriorErrorsAttribute = "prior_errors";

/// Nothing without the attribute. NaN if it is not two numbers of at least 0.
std::optional<FieldErrors> prior_errors(const Field& field);

/// Bounds of the errors of two changes one after the other (the norms obey the triangle inequality).
std::optional<FieldErrors> sum_of(const std::optional<FieldErrors>& first,
                                  const std::optional<FieldErrors>& second);

}  // namespace esker
