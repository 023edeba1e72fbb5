#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>

#include "format/json_writer.h"
#include "formats/netcdf/model/stored_schema.h"
#include "formats/netcdf/model/values.h"
#include "formats/zarr/conventions.h"
#include "formats/zarr/metadata.h"
#include "formats/zarr/names.h"
#include "formats/zarr/small_values.h"

namespace esker::zarr {
namespace {

/// Numbers that JSON lacks are Zarr's words for them.
void print_real(JsonWriter& json, double value) {
  if (std::isfinite(value)) return json.real(value);
  json.text(std::isnan(value) ? kNaN : value > 0 ? kInfinity : kMinusInfinity);
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
  if (array.codec.kind == CodecKind::kBlosc) {
    print_named(json, kBlosc, [&] {
      json.key("cname").text(kZstd);
      json.key("clevel").integer(kBloscLevel);
      json.key("shuffle").text("shuffle");
      json.key("typesize").integer(size_bytes(array.type));
      json.key("blocksize").integer(0);
    });
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

/// Whether a text, or each text of a list, is a word for a number.
bool has_words(const netcdf::Attribute& attribute) {
  const AttributeValue value = netcdf::to_value(attribute);
  const auto is_word = [](const std::string& text) {
    return text == kNaN || text == kInfinity || text == kMinusInfinity;
  };
  if (const auto* list = std::get_if<TextList>(&value))
    return !list->texts.empty() && std::ranges::all_of(list->texts, is_word);
  const std::string* text = text_of(value);
  return text && is_word(*text);
}

/// The names of the array ("": the group) and of each such attribute, sorted.
std::vector<std::vector<std::string>> find_words(const Group& group) {
  std::vector<std::vector<std::string>> found;
  const auto look = [&](const std::string& of, const std::vector<netcdf::Attribute>& attributes) {
    for (const netcdf::Attribute& attribute : attributes) {
      if (has_words(attribute)) found.push_back({of, attribute.name});
    }
  };
  look("", group.attributes);
  for (const Array& array : group.arrays) look(array.path(), array.attributes);
  std::ranges::sort(found);
  return found;
}

/// The attribute of a group that Esker wrote: a text, because netCDF attributes are not objects, and xarray
/// does not write those.
std::string description_of(const Group& group) {
  JsonWriter json;
  json.object([&] {
    json.key("format").integer(group.has_means ? Group::kFormat : Group::kFormatOfSamples);
    json.key(kSteps).integer(group.num_steps);
    json.key(kTime).text(group.time);
    if (group.num_levels > 0) json.key(kLevels).integer(group.num_levels);
    if (group.has_means) json.key(kLevelValues).text(kMean);
    json.key(kArrays).array([&] {
      for (const Array& array : group.arrays) {
        if (array.errors_of.empty()) json.text(array.path());
      }
    });
    if (!group.other_suffix.empty()) json.key(kOtherSuffix).text(group.other_suffix);
    std::vector<std::string> errors;
    for (const Array& array : group.arrays) {
      if (!array.errors_of.empty()) errors.push_back(array.errors_of);
    }
    if (!errors.empty()) json.key(kErrors).texts(errors);
    const auto words = find_words(group);
    if (words.empty()) return;
    json.key(kWords).array([&] {
      for (const auto& names : words) json.texts(names);
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
    json.key("attributes").object([&] {
      print_attributes(json, array.attributes, has_reals);
      print_geo_attributes(json, array.geo);
    });
    json.key("dimension_names").texts(array.dims);
    json.key("storage_transformers").array([] {});
  });
}

/// From a level to the next one, per axis of the array with most axes, without that of time.
std::vector<double> scale_between(const Group& group, const std::string& fine, const std::string& coarse) {
  std::map<std::string_view, const Array*> of_coarse;
  for (const Array& array : group.arrays) {
    if (array.level == coarse) of_coarse.emplace(array.name, &array);
  }
  std::vector<double> largest;
  for (const Array& array : group.arrays) {
    const auto found = array.level == fine ? of_coarse.find(array.name) : of_coarse.end();
    if (found == of_coarse.end() || found->second->shape.size() != array.shape.size()) continue;
    const Array* next = found->second;
    std::vector<double> scale;
    for (std::size_t a = array.has_steps(group.time) ? 1 : 0; a < array.shape.size(); ++a) {
      scale.push_back(next->shape[a] < array.shape[a] ? 2 : 1);
    }
    if (scale.size() > largest.size()) largest = std::move(scale);
  }
  return largest;
}

/// A mean of two samples is between them.
std::vector<double> translation_of(const Group& group, std::vector<double> scale) {
  for (double& one : scale) one = group.has_means ? (one - 1) / 2 : 0;
  return scale;
}

constexpr Convention kLevelsConvention{kMultiscales, "d35379db-88df-4056-af3a-620245f8e347", "v1",
                                       "Multiscale layout of zarr datasets"};

void print_multiscales(JsonWriter& json, const Group& group) {
  json.key(kConventionsAttribute).array([&] { print_convention(json, kLevelsConvention); });
  json.key(kMultiscales).object([&] {
    json.key("layout").array([&] {
      const std::vector<std::string> levels = group.level_names();
      for (std::size_t k = 0; k < levels.size(); ++k) {
        json.object([&] {
          json.key("asset").text(levels[k]);
          if (k > 0) json.key("derived_from").text(levels[k - 1]);
          json.key("transform").object([&] {
            const std::vector<double> scale = scale_between(group, levels[k > 0 ? k - 1 : k], levels[k]);
            json.key("scale").numbers(Numbers(scale));
            json.key("translation").numbers(Numbers(translation_of(group, scale)));
          });
        });
      }
    });
    json.key("resampling_method").text(group.has_means ? "average" : "nearest");
  });
}

/// The node of a group; `attributes` and `metadata` print the members of these objects.
template <class PrintAttributes, class PrintMetadata>
void print_node(JsonWriter& json, const PrintAttributes& attributes, const PrintMetadata& metadata) {
  json.object([&] {
    json.key("zarr_format").integer(3);
    json.key("node_type").text("group");
    json.key("attributes").object(attributes);
    json.key("consolidated_metadata").object([&] {
      json.key("kind").text("inline");
      json.key("must_understand").boolean(false);
      json.key("metadata").object(metadata);
    });
  });
}

/// `has_arrays`: with the metadata of its arrays.
void print(JsonWriter& json, const Group& group, const std::string& level, bool has_arrays) {
  std::vector<netcdf::Attribute> attributes = group.attributes;
  std::erase_if(attributes, [](const auto& one) { return one.name == netcdf::kSchemaAttribute; });
  print_node(
      json, [&] { print_attributes(json, attributes, false); },
      [&] {
        for (const Array& array : group.arrays) {
          if (has_arrays && array.level == level) print(json.key(array.name), array);
        }
      });
}

}  // namespace

std::string print_array(const Array& array) {
  JsonWriter json(1);
  print(json, array);
  return json.take() + "\n";
}

std::string print_level(const Group& group, const std::string& level) {
  JsonWriter json(1);
  print(json, group, level, true);
  return json.take() + "\n";
}

std::string print_group(const Group& group) {
  JsonWriter json(1);
  print_node(
      json,
      [&] {
        json.key(kEskerAttribute).text(description_of(group));
        print_attributes(json, group.attributes, false);
        if (group.num_levels > 0) print_multiscales(json, group);
      },
      [&] {
        for (const std::string& level : group.level_names()) print(json.key(level), group, level, false);
        for (const Array& array : group.arrays) print(json.key(array.path()), array);
      });
  return json.take() + "\n";
}

}  // namespace esker::zarr
