#include "formats/netcdf/model/fill.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/byte_order.h"
#include "base/macros.h"

namespace esker::netcdf {
namespace {

/// NC_FILL_BYTE ... NC_FILL_UINT64 as bits, by Type; for reals those of 15 * 2^119.
constexpr std::array<std::uint64_t, 12> kDefaults{0,
                                                  0x81,
                                                  0,
                                                  0x8001,
                                                  0x80000001,
                                                  0x7cf00000,
                                                  0x479e000000000000,
                                                  0xff,
                                                  0xffff,
                                                  0xffffffff,
                                                  0x8000000000000002,
                                                  0xfffffffffffffffe};

constexpr Index kChunkBytes = Index{1} << 20;  // a multiple of the size of every type

}  // namespace

std::vector<std::byte> fill_value(const Variable& variable) {
  const Index n_bytes = size_bytes(variable.type);
  for (const Attribute& attribute : variable.attributes) {
    const bool is_one =
        attribute.type == variable.type && static_cast<Index>(attribute.values.size()) == n_bytes;
    if (attribute.name == "_FillValue" && is_one) return attribute.values;
  }
  std::vector<std::byte> value;
  append_be(kDefaults[static_cast<std::size_t>(variable.type)], n_bytes, value);
  return value;
}

std::vector<std::byte> fill_in_memory(const Variable& variable) {
  std::vector<std::byte> value = fill_value(variable);
  swap_bytes(value, static_cast<int>(value.size()));
  return value;
}

std::vector<std::byte> fill_in_memory(Type type) {
  Variable variable;
  variable.type = type;
  return fill_in_memory(variable);
}

Status write_fill(File& file, const Variable& variable, Index offset, Index n_bytes) {
  const std::vector<std::byte> value = fill_value(variable);
  std::vector<std::byte> chunk(static_cast<std::size_t>(std::min(n_bytes, kChunkBytes)));
  for (std::size_t at = 0; at < chunk.size(); ++at) chunk[at] = value[at % value.size()];
  for (const Index end = offset + n_bytes; offset < end; offset += kChunkBytes) {
    const auto part = std::span(chunk).first(static_cast<std::size_t>(std::min(kChunkBytes, end - offset)));
    ESKER_RETURN_IF_ERROR(file.write_at(part, offset));
  }
  return {};
}

}  // namespace esker::netcdf
