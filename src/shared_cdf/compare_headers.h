// What differs first between the definitions of two ranks.
#pragma once

#include <cstdint>
#include <string>

#include "formats/netcdf/cdf/header.h"

namespace esker::cdf {

/// Kinds of differences, in the order in which they are looked for; the terms of PnetCDF's NC_EMULTIDEFINE_*.
enum class Mismatch {
  kNone,
  kNumDims,
  kDimName,
  kDimLength,
  kNumVariables,
  kVariableName,
  kVariableNumDims,
  kVariableDims,
  kVariableType,
  kNumAttributes,
  kAttributeName,
  kAttributeType,
  kAttributeLength,
  kAttributeValue,
  kOther,  ///< version, alignment
};

struct HeaderDifference {
  Mismatch kind = Mismatch::kNone;
  std::string text;  ///< for example "dimension 'x' has length 4, on rank 0: 5"
};

/// Equal for headers that compare_headers() finds equal, and different for others, but for an accident of 64
/// bits. Pure.
std::uint64_t hash_definition(const Header& header);

/// The first difference of `mine` from the header of rank 0; kNone if there is none. Offsets and the number
/// of records are not compared. Pure.
HeaderDifference compare_headers(const Header& mine, const Header& of_root);

}  // namespace esker::cdf
