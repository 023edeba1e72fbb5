#include "grid/convert_samples.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

namespace esker {
namespace {

// In the order of SampleType.
using Types = std::tuple<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                         std::int64_t, std::uint64_t, float, double>;
constexpr std::size_t kNumTypes = std::tuple_size_v<Types>;

/// Whether `value` lies in the range of `To`.
template <class To, class From>
bool fits(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    if constexpr (std::is_integral_v<From> || sizeof(From) <= sizeof(To)) return true;
    return !std::isfinite(value) || std::isfinite(static_cast<To>(value));
  } else if constexpr (std::is_floating_point_v<From>) {
    const From whole = std::trunc(value);  // both limits are exact: powers of two, or 0
    return whole >= static_cast<From>(std::numeric_limits<To>::min()) &&
           whole < std::ldexp(From{1}, std::numeric_limits<To>::digits);
  } else {
    return std::in_range<To>(value);
  }
}

template <class From, class To>
Index convert(const std::byte* source, Index stride_bytes, std::byte* target, Index count) {
  for (Index i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, source + i * stride_bytes, sizeof(From));
    if (!fits<To>(value)) return i;
    const To converted = static_cast<To>(value);
    std::memcpy(target + i * Index{sizeof(To)}, &converted, sizeof(To));
  }
  return count;
}

using Convert = Index (*)(const std::byte*, Index, std::byte*, Index);

template <std::size_t... pairs>
constexpr std::array<Convert, sizeof...(pairs)> make_table(std::index_sequence<pairs...>) {
  return {&convert<std::tuple_element_t<pairs / kNumTypes, Types>,
                   std::tuple_element_t<pairs % kNumTypes, Types>>...};
}

constexpr auto kTable = make_table(std::make_index_sequence<kNumTypes * kNumTypes>());

}  // namespace

Index convert_samples(SampleType from, const std::byte* source, Index stride_bytes, SampleType to,
                      std::byte* target, Index count) {
  const auto row = static_cast<std::size_t>(from), column = static_cast<std::size_t>(to);
  return kTable[row * kNumTypes + column](source, stride_bytes, target, count);
}

}  // namespace esker
