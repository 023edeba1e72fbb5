#include "format/cdf/values.h"

#include <cstring>
#include <type_traits>

#include "base/byte_order.h"
#include "base/error.h"
#include "base/macros.h"

namespace esker::cdf {
namespace {

/// Values of a file as numbers of this machine.
template <class T>
std::vector<T> values_of(std::vector<std::byte> bytes) {
  swap_bytes(bytes, sizeof(T));
  std::vector<T> values(bytes.size() / sizeof(T));
  if (values.empty()) return values;  // its data() may be null
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <class T, class To>
AttributeValue list_of(const Attribute& attribute) {
  const std::vector<T> values = values_of<T>(attribute.values);
  return std::vector<To>(values.begin(), values.end());
}

}  // namespace

AttributeValue to_value(const Attribute& attribute) {
  switch (attribute.type) {
    case Type::kByte:
      return list_of<std::int8_t, Index>(attribute);
    case Type::kShort:
      return list_of<std::int16_t, Index>(attribute);
    case Type::kInt:
      return list_of<std::int32_t, Index>(attribute);
    case Type::kUByte:
      return list_of<std::uint8_t, Index>(attribute);
    case Type::kUShort:
      return list_of<std::uint16_t, Index>(attribute);
    case Type::kUInt:
      return list_of<std::uint32_t, Index>(attribute);
    case Type::kInt64:
      return list_of<std::int64_t, Index>(attribute);
    case Type::kUInt64:
      return list_of<std::uint64_t, double>(attribute);
    case Type::kFloat:
      return list_of<float, double>(attribute);
    case Type::kDouble:
      return list_of<double, double>(attribute);
    case Type::kChar:
      break;
  }
  return std::string(reinterpret_cast<const char*>(attribute.values.data()), attribute.values.size());
}

Attributes to_attributes(const std::vector<Attribute>& list) {
  Attributes attributes;
  for (const Attribute& attribute : list) {
    const AttributeValue value = to_value(attribute);
    if (attribute.name != kSchemaAttribute && check_attribute(attribute.name, value).ok()) {
      attributes[attribute.name] = value;
    }
  }
  return attributes;
}

Result<std::vector<double>> read_reals(const File& file, const CdfFile& of, int variable, Index step) {
  const Variable& values = of.header.variables[static_cast<std::size_t>(variable)];
  const Index offset = of.offset_of(variable, step), n_bytes = of.header.value_bytes(values);
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file.size_bytes());
  if (offset > file_bytes || n_bytes > file_bytes - offset) {
    return error(Code::kDataLoss, "the file has {} bytes: the {} of variable '{}' at byte {} are not there",
                 file_bytes, n_bytes, values.name, offset);
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(n_bytes));
  ESKER_RETURN_IF_ERROR(file.read_at(bytes, offset));
  return std::visit(
      [](const auto& list) {
        if constexpr (std::is_same_v<std::decay_t<decltype(list)>, std::string>) {
          return std::vector<double>();
        } else {
          return std::vector<double>(list.begin(), list.end());
        }
      },
      to_value({values.name, values.type, std::move(bytes)}));
}

}  // namespace esker::cdf
