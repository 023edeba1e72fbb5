#include "formats/netcdf/model/values.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <type_traits>

#include "base/byte_order.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"

namespace esker::netcdf {
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

/// "attribute 'units' of 'thk'"
std::string place_of(const std::string& name, const std::string& of) {
  return fmt::format("attribute '{}'{}", excerpt(name), of.empty() ? "" : " of '" + excerpt(of) + "'");
}

std::string text_in(const Attribute& attribute) {
  return {reinterpret_cast<const char*>(attribute.values.data()), attribute.values.size()};
}

/// Also empty ones.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

/// The names in kListsAttribute.
std::set<std::string> names_of_lists(const std::vector<Attribute>& list) {
  for (const Attribute& attribute : list) {
    if (attribute.name != kListsAttribute || attribute.type != Type::kChar) continue;
    const std::vector<std::string> names = lines_of(text_in(attribute));
    return {names.begin(), names.end()};
  }
  return {};
}

bool is_exact(const Numbers& numbers) {
  const auto reals = to_type(numbers, SampleType::kFloat64);
  return reals.ok();
}

}  // namespace

std::optional<SampleType> sample_type_of(Type type) {
  switch (type) {
    case Type::kByte:
      return SampleType::kInt8;
    case Type::kUByte:
      return SampleType::kUint8;
    case Type::kShort:
      return SampleType::kInt16;
    case Type::kUShort:
      return SampleType::kUint16;
    case Type::kInt:
      return SampleType::kInt32;
    case Type::kUInt:
      return SampleType::kUint32;
    case Type::kInt64:
      return SampleType::kInt64;
    case Type::kUInt64:
      return SampleType::kUint64;
    case Type::kFloat:
      return SampleType::kFloat32;
    case Type::kDouble:
      return SampleType::kFloat64;
    case Type::kChar:
      break;
  }
  return std::nullopt;
}

Type type_of(SampleType type) {
  switch (type) {
    case SampleType::kInt8:
      return Type::kByte;
    case SampleType::kUint8:
      return Type::kUByte;
    case SampleType::kInt16:
      return Type::kShort;
    case SampleType::kUint16:
      return Type::kUShort;
    case SampleType::kInt32:
      return Type::kInt;
    case SampleType::kUint32:
      return Type::kUInt;
    case SampleType::kInt64:
      return Type::kInt64;
    case SampleType::kUint64:
      return Type::kUInt64;
    case SampleType::kFloat32:
      return Type::kFloat;
    case SampleType::kFloat64:
      return Type::kDouble;
  }
  return Type::kByte;
}

bool has_characters(const Field& field) {
  const auto found = field.attributes.find(kSampleTypeAttribute);
  const std::string* type = found == field.attributes.end() ? nullptr : text_of(found->second);
  return field.type == SampleType::kUint8 && field.components == 1 && type && *type == kCharacters;
}

Type type_of(const Field& field) { return has_characters(field) ? Type::kChar : type_of(field.type); }

AttributeValue to_text(std::string bytes) {
  std::string text = bytes;
  text.erase(std::remove(text.begin(), text.end(), '\0'), text.end());
  if (!is_utf8(text)) text = from_latin1(text);
  if (text == bytes) return bytes;
  return StoredText{std::move(text), std::move(bytes)};
}

AttributeValue to_value(const Attribute& attribute) {
  if (!attribute.texts.empty()) return esker::to_value(attribute.texts);
  switch (attribute.type) {
    case Type::kByte:
      return values_of<std::int8_t>(attribute.values);
    case Type::kShort:
      return values_of<std::int16_t>(attribute.values);
    case Type::kInt:
      return values_of<std::int32_t>(attribute.values);
    case Type::kUByte:
      return values_of<std::uint8_t>(attribute.values);
    case Type::kUShort:
      return values_of<std::uint16_t>(attribute.values);
    case Type::kUInt:
      return values_of<std::uint32_t>(attribute.values);
    case Type::kInt64:
      return values_of<std::int64_t>(attribute.values);
    case Type::kUInt64:
      return values_of<std::uint64_t>(attribute.values);
    case Type::kFloat:
      return values_of<float>(attribute.values);
    case Type::kDouble:
      return values_of<double>(attribute.values);
    case Type::kChar:
      break;
  }
  return to_text(text_in(attribute));
}

std::vector<std::byte> to_bytes(const Numbers& numbers) {
  return std::visit(
      [](const auto& list) {
        const auto stored = std::as_bytes(std::span(list));
        std::vector<std::byte> bytes(stored.begin(), stored.end());
        swap_bytes(bytes, static_cast<int>(sizeof(list[0])));
        return bytes;
      },
      numbers);
}

Attribute to_attribute(const std::string& name, const AttributeValue& value) {
  Attribute attribute{name, Type::kChar, {}};
  const auto* stored = std::get_if<StoredText>(&value);
  if (const std::string* text = stored ? &stored->bytes : text_of(value)) {
    const auto bytes = std::as_bytes(std::span(*text));
    attribute.values.assign(bytes.begin(), bytes.end());
    if (const auto* texts = std::get_if<TextList>(&value)) attribute.texts = texts->texts;
    return attribute;
  }
  const Numbers numbers = numbers_of(value);
  attribute.type = type_of(esker::type_of(numbers));
  attribute.values = to_bytes(numbers);
  return attribute;
}

std::vector<Attribute> to_attributes(const Attributes& attributes) {
  std::vector<Attribute> list;
  for (const auto& [name, value] : attributes) list.push_back(to_attribute(name, value));
  return list;
}

void note_lists(std::vector<Attribute>& attributes) {
  std::vector<std::string> names;
  for (const Attribute& attribute : attributes) {
    const bool is_split_again = lines_of(text_in(attribute)) == attribute.texts;
    if (is_split_again && !attribute.texts.empty()) names.push_back(attribute.name);
  }
  if (names.empty()) return;
  attributes.push_back(to_attribute(kListsAttribute, TextList(std::move(names)).joined));
}

void note_kept_bits(std::vector<Attribute>& attributes, int bits) {
  std::erase_if(attributes, [](const Attribute& of) { return of.name == kBitRoundAttribute; });
  attributes.push_back({kBitRoundAttribute, Type::kInt, to_bytes(Numbers(std::vector<std::int32_t>{bits}))});
}

Attributes to_attributes(const std::vector<Attribute>& list, const std::string& of,
                         std::vector<std::string>* warnings) {
  Attributes attributes;
  const auto warn = [&](const std::string& text) {
    if (warnings) warnings->push_back(text);
  };
  const std::set<std::string> lists = names_of_lists(list);
  for (const Attribute& attribute : list) {
    if (attribute.name == kSchemaAttribute || attribute.name == kListsAttribute) continue;
    AttributeValue value = to_value(attribute);
    const auto* joined = std::get_if<std::string>(&value);
    if (joined && lists.contains(attribute.name)) value = esker::to_value(lines_of(*joined));
    const Status status = check_attribute(attribute.name, value);
    if (!status.ok()) {
      warn(fmt::format("{} is left out: {}", place_of(attribute.name, of), status.message()));
      continue;
    }
    const auto* stored = std::get_if<StoredText>(&value);
    if (stored && !is_utf8(stored->bytes)) {
      warn(fmt::format("{} is not UTF-8: read as Latin-1", place_of(attribute.name, of)));
    }
    attributes[attribute.name] = std::move(value);
  }
  return attributes;
}

Result<std::vector<double>> read_times(const StoredSchema& of, const ReadValues& read_values,
                                       std::vector<std::string>& warnings) {
  std::vector<double> times;
  bool are_exact = true;
  for (Index step = 0; step < of.header.num_records; ++step) {
    if (of.time_variable < 0) {
      times.push_back(static_cast<double>(step));
      continue;
    }
    ESKER_ASSIGN_OR_RETURN(const AttributeValue value, read_values(of.time_variable, step));
    const Numbers numbers = numbers_of(value);
    times.push_back(to_reals(numbers).at(0));
    are_exact = are_exact && is_exact(numbers);
  }
  if (!are_exact) {
    warnings.push_back(
        fmt::format("times '{}' are rounded to float64, which cannot represent all of them",
                    excerpt(of.header.variables[static_cast<std::size_t>(of.time_variable)].name)));
  }
  return times;
}

}  // namespace esker::netcdf
