#include "codec/bit_round.h"

#include <cstdint>
#include <cstring>

#include "base/error.h"

namespace esker {
namespace {

/// As unsigned numbers, floats of one sign are in their order, and all that are not finite come last.
template <class Bits, Bits kInfinity>
void round_values(int dropped, std::span<const std::byte> fill, std::span<const std::byte> values,
                  std::span<std::byte> out) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const Bits kept = ~((Bits{1} << dropped) - 1);
  const Bits half = dropped > 0 ? Bits{1} << (dropped - 1) : Bits{0};
  Bits of_fill;
  std::memcpy(&of_fill, fill.data(), sizeof(Bits));
  for (std::size_t at = 0; at < values.size(); at += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, values.data() + at, sizeof(Bits));
    Bits rounded = (bits + half) & kept;
    if ((rounded & ~kSign) >= kInfinity) rounded = bits & kept;
    if ((bits & ~kSign) >= kInfinity || bits == of_fill) rounded = bits;
    std::memcpy(out.data() + at, &rounded, sizeof(Bits));
  }
}

}  // namespace

int mantissa_bits(SampleType type) {
  if (type == SampleType::kFloat32) return 23;
  return type == SampleType::kFloat64 ? 52 : 0;
}

Status check_bit_round(SampleType type, int bits) {
  const int most = mantissa_bits(type);
  if (most == 0) {
    return error(Code::kInvalidArgument, "bitround: values of type {}, expected float32 or float64", name(type));
  }
  if (bits >= 1 && bits <= most) return {};
  return error(Code::kInvalidArgument, "bitround: {} bits of {}, expected 1 to {}", bits, name(type), most);
}

void bit_round(SampleType type, int bits, std::span<const std::byte> fill, std::span<const std::byte> values,
               std::span<std::byte> out) {
  const int dropped = mantissa_bits(type) - bits;
  if (type == SampleType::kFloat32) {
    round_values<std::uint32_t, 0x7f800000u>(dropped, fill, values, out);
  } else {
    round_values<std::uint64_t, 0x7ff0000000000000u>(dropped, fill, values, out);
  }
}

}  // namespace esker
