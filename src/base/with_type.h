// with_type: calls a function with the C++ type of a SampleType.
#pragma once

#include <cstdint>

#include "esker/types/sample_type.hpp"

namespace esker {

/// Calls call(T{}) with the C++ type of `type`, and returns its result, whose type does not depend on T.
template <class Call>
auto with_type(SampleType type, Call call) {
  switch (type) {
    case SampleType::kInt8:
      return call(std::int8_t{});
    case SampleType::kUint8:
      return call(std::uint8_t{});
    case SampleType::kInt16:
      return call(std::int16_t{});
    case SampleType::kUint16:
      return call(std::uint16_t{});
    case SampleType::kInt32:
      return call(std::int32_t{});
    case SampleType::kUint32:
      return call(std::uint32_t{});
    case SampleType::kInt64:
      return call(std::int64_t{});
    case SampleType::kUint64:
      return call(std::uint64_t{});
    case SampleType::kFloat32:
      return call(float{});
    case SampleType::kFloat64:
      break;
  }
  return call(double{});
}

}  // namespace esker
