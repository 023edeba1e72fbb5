#include "formats/idx/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace esker::idx {
namespace {

constexpr Index kMaxAnyBytes = 32;  ///< any size up to here
constexpr Index kMaxBytes = 1024;   ///< above kMaxAnyBytes: powers of two up to this size

}  // namespace

bool is_copyable(Index sample_bytes) {
  return sample_bytes <= kMaxAnyBytes ||
         (sample_bytes <= kMaxBytes && std::has_single_bit(static_cast<std::uint64_t>(sample_bytes)));
}

std::vector<Column> columns_of(const Schema& schema, int field, CodecKind codec, bool split) {
  const Field& whole = schema.fields()[field];
  const int most = codec == CodecKind::kZfp ? 1 : whole.components;
  if (!split || (most == whole.components && is_copyable(whole.sample_bytes()))) {
    return {{field, 0, whole.components}};
  }
  const Index component_bytes = size_bytes(whole.type);
  std::vector<Column> columns;
  for (int first = 0; first < whole.components;) {
    int count = std::min({most, whole.components - first, static_cast<int>(kMaxBytes / component_bytes)});
    while (!is_copyable(count * component_bytes)) --count;
    columns.push_back({field, first, count});
    first += count;
  }
  return columns;
}

std::string column_name(const Field& field, const Column& column) {
  if (column.components == field.components) return field.name;
  if (column.components == 1) return fmt::format("{}.{}", field.name, column.first_component);
  return fmt::format("{}.{}-{}", field.name, column.first_component,
                     column.first_component + column.components - 1);
}

}  // namespace esker::idx
