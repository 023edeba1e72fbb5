#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "format/json_writer.h"
#include "formats/netcdf/model/values.h"
#include "formats/zarr/metadata.h"
#include "formats/zarr/names.h"
#include "formats/zarr/small_values.h"

namespace esker::zarr {
namespace {

/// Numbers that JSON lacks are Zarr's words for them.
void print_real(JsonWriter& json, double value) {
  if (std::isfinite(value)) return json.real(value);
  json.text(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
}

void print_number(JsonWriter& json, const Numbers& numbers) {
  std::visit(
      [&](const auto& list) {
        const auto value = list.at(0);
        if constexpr (std::is_floating_point_v<decltype(value)>) {
          print_real(json, value);
        } else {
          json.integer(
              static_cast<std::conditional_t<std::is_signed_v<decltype(value)>, std::int64_t, std::uint64_t>>(
                  value));
        }
      },
      numbers);
}

/// The eight bytes of a real, as xarray reads the attribute _FillValue of an array of reals.
std::string base64_of(double value) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::uint8_t, 9> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(value));
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const unsigned bits = bytes[at] << 16U | bytes[at + 1] << 8U | bytes[at + 2];
    for (const unsigned shift : {18U, 12U, 6U, 0U}) text += kDigits[bits >> shift & 63U];
  }
  text.back() = '=';
  return text;
}

void print_attribute(JsonWriter& json, const netcdf::Attribute& attribute, bool of_reals) {
  const AttributeValue value = netcdf::to_value(attribute);
  json.key(attribute.name);
  if (const auto* texts = std::get_if<TextList>(&value)) return json.texts(texts->texts);
  if (const std::string* text = text_of(value)) return json.text(*text);
  const Numbers numbers = numbers_of(value);
  const bool is_one = std::visit([](const auto& list) { return list.size() == 1; }, numbers);
  if (is_one && of_reals && attribute.name == kFillAttribute)
    return json.text(base64_of(to_reals(numbers)[0]));
  if (is_one) return print_number(json, numbers);
  json.numbers(numbers);
}

void print_attributes(JsonWriter& json, const std::vector<netcdf::Attribute>& attributes, bool of_reals) {
  std::vector<const netcdf::Attribute*> sorted;
  for (const netcdf::Attribute& attribute : attributes) sorted.push_back(&attribute);
  std::ranges::sort(sorted, {}, &netcdf::Attribute::name);
  for (const netcdf::Attribute* attribute : sorted) print_attribute(json, *attribute, of_reals);
}

void print_indices(JsonWriter& json, const std::vector<Index>& values) { json.numbers(Numbers(values)); }

template <class Configuration>
void print_named(JsonWriter& json, const char* name, const Configuration& configuration) {
  json.object([&] {
    json.key("name").text(name);
    json.key("configuration").object(configuration);
  });
}

void print_bytes(JsonWriter& json, bool has_order) {
  print_named(json, kBytes, [&] {
    if (has_order) json.key("endian").text("little");
  });
}

void print_codecs_of_chunk(JsonWriter& json, const Array& array) {
  print_bytes(json, size_bytes(array.type) > 1);
  if (array.codec.kind == CodecKind::kZstd) {
    print_named(json, kZstd, [&] {
      json.key("level").integer(kZstdLevel);
      json.key("checksum").boolean(array.has_sums);
    });
  }
  if (array.codec.kind == CodecKind::kZip) {
    print_named(json, kGzip, [&] { json.key("level").integer(array.codec.zip_level); });
  }
}

void print_codecs(JsonWriter& json, const Array& array) {
  if (array.is_text) {
    json.object([&] { json.key("name").text(kTexts); });
    return;
  }
  if (array.chunk.empty()) return print_codecs_of_chunk(json, array);
  print_named(json, kSharding, [&] {
    print_indices(json.key("chunk_shape"), array.chunk);
    json.key("codecs").array([&] { print_codecs_of_chunk(json, array); });
    json.key("index_codecs").array([&] {
      print_bytes(json, true);
      json.object([&] { json.key("name").text(kSums); });
    });
    json.key("index_location").text("end");
  });
}

/// The attribute of a group that Esker wrote: a text, because netCDF attributes are not objects, and xarray
/// does not write those.
std::string description_of(const Group& group) {
  JsonWriter json;
  json.object([&] {
    json.key("format").integer(Group::kFormat);
    json.key(kSteps).integer(group.num_steps);
    json.key(kTime).text(group.time);
    json.key(kArrays).array([&] {
      for (const Array& array : group.arrays) json.text(array.name);
    });
  });
  return json.take();
}

void print(JsonWriter& json, const Array& array) {
  const bool has_reals = !array.is_text && array.type >= SampleType::kFloat32;
  json.object([&] {
    json.key("zarr_format").integer(3);
    json.key("node_type").text("array");
    print_indices(json.key("shape"), array.shape);
    json.key("data_type").text(array.is_text ? kTextType : std::string(name(array.type)));
    print_named(json.key("chunk_grid"), "regular",
                [&] { print_indices(json.key("chunk_shape"), array.file); });
    print_named(json.key("chunk_key_encoding"), "default", [&] { json.key("separator").text("/"); });
    json.key("fill_value");
    if (array.is_text) {
      json.text("");
    } else {
      print_number(json, *parse_values(array.fill, array.type, 1));
    }
    json.key("codecs").array([&] { print_codecs(json, array); });
    json.key("attributes").object([&] { print_attributes(json, array.attributes, has_reals); });
    json.key("dimension_names").texts(array.dims);
    json.key("storage_transformers").array([] {});
  });
}

}  // namespace

std::string print_array(const Array& array) {
  JsonWriter json(1);
  print(json, array);
  return json.take() + "\n";
}

std::string print_group(const Group& group) {
  JsonWriter json(1);
  json.object([&] {
    json.key("zarr_format").integer(3);
    json.key("node_type").text("group");
    json.key("attributes").object([&] {
      json.key(kEskerAttribute).text(description_of(group));
      print_attributes(json, group.attributes, false);
    });
    json.key("consolidated_metadata").object([&] {
      json.key("kind").text("inline");
      json.key("must_understand").boolean(false);
      json.key("metadata").object([&] {
        for (const Array& array : group.arrays) print(json.key(array.name), array);
      });
    });
  });
  return json.take() + "\n";
}

}  // namespace esker::zarr
