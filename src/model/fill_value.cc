#include "model/fill_value.h"

#include <array>
#include <cstdint>
#include <span>

#include "esker/types/status.hpp"

namespace esker {
namespace {

/// NC_FILL_BYTE ... NC_FILL_DOUBLE of netcdf.h as bits, in the order of SampleType; of reals 15 * 2^119.
constexpr std::array<std::uint64_t, 10> kDefaults{0x81,
                                                  0xff,
                                                  0x8001,
                                                  0xffff,
                                                  0x80000001,
                                                  0xffffffff,
                                                  0x8000000000000002,
                                                  0xfffffffffffffffe,
                                                  0x7cf00000,
                                                  0x479e000000000000};

}  // namespace

std::vector<std::byte> attribute_value(const Field& field, const char* name) {
  const auto found = field.attributes.find(name);
  if (found == field.attributes.end()) return {};
  const auto typed = to_type(numbers_of(found->second), field.type);
  if (!typed.ok()) return {};
  return std::visit(
      [](const auto& list) {
        const auto bytes = std::as_bytes(std::span(list));
        return list.size() == 1 ? std::vector<std::byte>(bytes.begin(), bytes.end())
                                : std::vector<std::byte>();
      },
      *typed);
}

std::vector<std::byte> fill_value(const Field& field) {
  std::vector<std::byte> value = attribute_value(field, kFillValueAttribute);
  std::uint64_t bits = kDefaults[static_cast<std::size_t>(field.type)];
  for (int n = value.empty() ? size_bytes(field.type) : 0; n > 0; --n, bits >>= 8) {
    value.push_back(static_cast<std::byte>(bits & 0xff));
  }
  return value;
}

}  // namespace esker
