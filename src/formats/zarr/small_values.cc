#include "formats/zarr/small_values.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/byte_order.h"  // refuses big-endian hosts
#include "base/error.h"
#include "base/with_type.h"

namespace esker::zarr {
void fill_with(std::span<const std::byte> value, std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += value.size()) {
    std::memcpy(bytes.data() + at, value.data(), value.size());
  }
}

std::vector<std::byte> repeated(std::span<const std::byte> value, Index times) {
  std::vector<std::byte> bytes(value.size() * static_cast<std::size_t>(times));
  fill_with(value, bytes);
  return bytes;
}

std::vector<std::byte> print_values(const Numbers& values, Index num_values,
                                    std::span<const std::byte> fill) {
  return std::visit(
      [&](const auto& list) {
        const auto stored = std::as_bytes(std::span(list));
        std::vector<std::byte> bytes = repeated(fill, num_values);
        bytes.resize(static_cast<std::size_t>(num_values) * sizeof(list[0]));
        if (!stored.empty()) std::memcpy(bytes.data(), stored.data(), std::min(stored.size(), bytes.size()));
        return bytes;
      },
      values);
}

Result<Numbers> parse_values(std::span<const std::byte> bytes, SampleType type, Index num_values) {
  const Index expected = num_values * size_bytes(type);
  if (std::ssize(bytes) < expected)
    return error(Code::kDataLoss, "{} bytes, expected {} values of {}", bytes.size(), num_values, name(type));
  return with_type(type, [&](auto zero) -> Numbers {
    std::vector<decltype(zero)> values(static_cast<std::size_t>(num_values));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), static_cast<std::size_t>(expected));
    return values;
  });
}

std::vector<std::byte> print_text(const std::string& text) {
  const std::uint32_t numbers[] = {1, static_cast<std::uint32_t>(text.size())};
  std::vector<std::byte> bytes(sizeof(numbers) + text.size());
  std::memcpy(bytes.data(), numbers, sizeof(numbers));
  std::memcpy(bytes.data() + sizeof(numbers), text.data(), text.size());
  return bytes;
}

Result<std::string> parse_text(std::span<const std::byte> bytes) {
  std::uint32_t numbers[2] = {};
  const bool has_both = bytes.size() >= sizeof(numbers);
  if (has_both) std::memcpy(numbers, bytes.data(), sizeof(numbers));
  if (!has_both || numbers[0] != 1 || numbers[1] != bytes.size() - sizeof(numbers))
    return error(Code::kDataLoss, "{} bytes are not one text", bytes.size());
  const auto text = bytes.subspan(sizeof(numbers));
  return std::string(reinterpret_cast<const char*>(text.data()), text.size());
}

}  // namespace esker::zarr
