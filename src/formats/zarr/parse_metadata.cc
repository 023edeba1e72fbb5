#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/json_text.h"
#include "format/schema_json.h"
#include "formats/netcdf/model/values.h"
#include "formats/zarr/json_values.h"
#include "formats/zarr/metadata.h"
#include "formats/zarr/names.h"
#include "formats/zarr/step_errors.h"
#include "model/coarse_fields.h"

namespace esker::zarr {
namespace {

constexpr Index kMost = std::numeric_limits<Index>::max();

/// The names of an array ("": the group) and of an attribute of texts that are words for numbers.
using Words = std::set<std::pair<std::string, std::string>>;

Result<Words> parse_words(const Json& ours) {
  Words words;
  if (!ours.contains(kWords)) return words;
  ESKER_ASSIGN_OR_RETURN(const Json* list, get_array(ours, kWords));
  for (std::size_t n = 0; n < list->size(); ++n) {
    const Json& names = (*list)[n];
    if (!names.is_array() || names.size() != 2 || !names[0].is_string() || !names[1].is_string())
      return error(Code::kDataLoss, "'{}': expected the names of arrays and attributes", kWords);
    words.emplace(names[0].get<std::string>(), names[1].get<std::string>());
  }
  return words;
}

/// Reads what is in `words` as texts. `of`: the name of the array.
void keep_words(const Json& json, const std::string& of, const Words& words,
                std::vector<netcdf::Attribute>& attributes) {
  for (netcdf::Attribute& attribute : attributes) {
    if (!words.contains({of, attribute.name})) continue;
    const Json& value = json[attribute.name];
    std::vector<std::string> texts;
    for (std::size_t n = 0; value.is_array() && n < value.size(); ++n) {
      if (value[n].is_string()) texts.push_back(value[n].get<std::string>());
    }
    if (value.is_string()) attribute = netcdf::to_attribute(attribute.name, value.get<std::string>());
    if (value.is_array() && texts.size() == value.size())
      attribute = netcdf::to_attribute(attribute.name, to_value(std::move(texts)));
  }
}

Status unknown_codec(const std::string& name) {
  return error(Code::kUnsupported, "codec '{}': Esker reads {}, {}, {}, {} and {} in datasets that it wrote",
               excerpt(name), kBytes, kZstd, kGzip, kBlosc, kSharding);
}

Status check_order(const Named& bytes) {
  if (!bytes.configuration || !bytes.configuration->contains("endian")) return {};
  ESKER_ASSIGN_OR_RETURN(const std::string order, get_text(*bytes.configuration, "endian"));
  if (order == "little") return {};
  return error(Code::kUnsupported, "codec '{}': expected little-endian values", kBytes);
}

/// The values in bytes, and at most one compression.
Status parse_codecs_of_chunk(const Json& list, Array& array) {
  if (list.empty() || list.size() > 2)
    return error(Code::kUnsupported, "{} codecs, expected '{}' and at most one more", list.size(), kBytes);
  for (std::size_t n = 0; n < list.size(); ++n) {
    ESKER_ASSIGN_OR_RETURN(const Named named, parse_named(list[n]));
    if (named.name == kBytes && n == 0) {
      ESKER_RETURN_IF_ERROR(check_order(named));
    } else if (named.name == kZstd && n == 1) {
      array.codec.kind = CodecKind::kZstd;
      if (named.configuration && named.configuration->contains("checksum")) {
        ESKER_ASSIGN_OR_RETURN(array.has_sums, get_bool(*named.configuration, "checksum"));
      }
    } else if (named.name == kBlosc && n == 1) {
      array.codec.kind = CodecKind::kBlosc;
    } else if (named.name == kGzip && n == 1 && named.configuration) {
      array.codec.kind = CodecKind::kZip;
      ESKER_ASSIGN_OR_RETURN(const Index level, get_integer(*named.configuration, "level", 0, 9));
      array.codec.zip_level = static_cast<int>(level);
    } else {
      return unknown_codec(named.name);
    }
  }
  return {};
}

Status parse_codecs(const Json& json, Array& array) {
  ESKER_ASSIGN_OR_RETURN(const Json* list, get_array(json, "codecs"));
  if (list->empty()) return error(Code::kDataLoss, "'codecs' is empty");
  ESKER_ASSIGN_OR_RETURN(const Named first, parse_named(list->front()));
  if (array.is_text) return first.name == kTexts ? Status() : unknown_codec(first.name);
  if (first.name != kSharding) return parse_codecs_of_chunk(*list, array);
  if (!first.configuration) return error(Code::kDataLoss, "codec '{}' has no configuration", kSharding);
  ESKER_ASSIGN_OR_RETURN(array.chunk,
                         parse_extents(*first.configuration, "chunk_shape", array.shape.size(), 1));
  for (std::size_t a = 0; a < array.chunk.size(); ++a) {
    if (array.file[a] % array.chunk[a] == 0) continue;
    return error(Code::kDataLoss, "shards of {} samples on axis {} do not consist of chunks of {}",
                 array.file[a], a, array.chunk[a]);
  }
  ESKER_ASSIGN_OR_RETURN(const Json* inner, get_array(*first.configuration, "codecs"));
  return parse_codecs_of_chunk(*inner, array);
}

Status check_size(const Array& array) {
  std::optional<Index> bytes = array.is_text ? 1 : size_bytes(array.type);
  for (const std::vector<Index>* extents : {&array.shape, &array.file}) {
    bytes = array.is_text ? 1 : size_bytes(array.type);
    for (const Index extent : *extents) {
      if (bytes) bytes = checked_mul(*bytes, std::max<Index>(extent, 1));
    }
    if (!bytes) return error(Code::kDataLoss, "the array has more bytes than 64 bits can count");
  }
  return {};
}

/// Whether they are those that Esker derives: a list of objects, which a field cannot have.
bool has_conventions(const Json& attributes) {
  const auto found = attributes.find(kConventionsAttribute);
  return found != attributes.end() && found->is_array() && !found->empty() && (*found)[0].is_object();
}

/// `array`: its name and level.
Result<Array> parse_array(Array array, const Json& json) {
  ESKER_ASSIGN_OR_RETURN(array.shape, get_integers(json, "shape"));
  if (array.shape.size() > kMaxRank + 2 || std::ranges::any_of(array.shape, [](Index n) { return n < 0; }))
    return error(Code::kDataLoss, "'shape' is not that of an array of at most {} axes", kMaxRank + 2);
  ESKER_ASSIGN_OR_RETURN(const std::string type, get_text(json, "data_type"));
  array.is_text = type == kTextType;
  if (array.is_text && !array.shape.empty())
    return error(Code::kDataLoss, "a list of texts, expected one text");
  if (!array.is_text) {
    const auto sample_type = parse_sample_type(type);
    if (!sample_type.ok())
      return error(Code::kUnsupported, "'data_type': {}", sample_type.status().message());
    array.type = *sample_type;
    ESKER_ASSIGN_OR_RETURN(array.fill, parse_fill(json, array.type));
  }
  ESKER_ASSIGN_OR_RETURN(const Json* grid, get_object(json, "chunk_grid"));
  ESKER_ASSIGN_OR_RETURN(const Json* of_grid, get_object(*grid, "configuration"));
  ESKER_ASSIGN_OR_RETURN(array.file, parse_extents(*of_grid, "chunk_shape", array.shape.size(), 1));
  ESKER_RETURN_IF_ERROR(parse_codecs(json, array));
  ESKER_RETURN_IF_ERROR(check_size(array));
  if (!array.shape.empty() || json.contains("dimension_names")) {
    ESKER_ASSIGN_OR_RETURN(array.dims, get_texts(json, "dimension_names"));
  }
  if (array.dims.size() != array.shape.size())
    return error(Code::kDataLoss, "{} dimension names, expected {}", array.dims.size(), array.shape.size());
  ESKER_ASSIGN_OR_RETURN(const Json* attributes, get_object(json, "attributes"));
  array.attributes = parse_attributes(*attributes, array.type);
  if (has_conventions(*attributes))
    std::erase_if(array.attributes, [](const auto& one) { return is_geo_attribute(one.name); });
  return array;
}

/// The level and the name in the path of an array; nothing if there is no such array.
std::optional<Array> array_at(const Group& group, const std::string& path) {
  Array array{path};
  if (group.num_levels > 0) {
    const std::size_t slash = path.find('/');
    if (slash == std::string::npos) return std::nullopt;
    array.level = path.substr(0, slash);
    array.name = path.substr(slash + 1);
    const std::vector<std::string> levels = group.level_names();
    if (std::ranges::find(levels, array.level) == levels.end()) return std::nullopt;
  }
  const bool is_name =
      !array.name.empty() && array.name.front() != '.' && array.name.find('/') == std::string::npos;
  return is_name ? std::optional(std::move(array)) : std::nullopt;
}

Status parse_arrays(const Json& json, const std::vector<std::string>& paths, const Words& words,
                    Group& group) {
  std::set<std::string> found;
  ESKER_ASSIGN_OR_RETURN(const Json* consolidated, get_object(json, "consolidated_metadata"));
  ESKER_ASSIGN_OR_RETURN(const Json* metadata, get_object(*consolidated, "metadata"));
  for (const std::string& path : paths) {
    std::optional<Array> at = array_at(group, path);
    if (!at || !metadata->contains(path) || !found.insert(path).second)
      return error(Code::kDataLoss, "no metadata of the array '{}'", excerpt(path));
    auto array = parse_array(*std::move(at), (*metadata)[path]);
    if (!array.ok()) return array.status().with_context("array '" + excerpt(path) + "'");
    keep_words((*metadata)[path]["attributes"], path, words, array->attributes);
    group.arrays.push_back(*std::move(array));
  }
  return {};
}

/// Those of errors follow the arrays of netCDF's model.
Status parse_error_arrays(const Json& json, const Json& ours, const Words& words, Group& group) {
  if (!ours.contains(kErrors)) return {};
  ESKER_ASSIGN_OR_RETURN(const std::vector<std::string> of, get_texts(ours, kErrors));
  std::vector<std::string> names;
  for (const std::string& name : of) {
    if (!group.find(name) || group.find(name_of_errors(name)))
      return error(Code::kDataLoss, "'{}': '{}' is not an array without errors", kErrors, excerpt(name));
    names.push_back(name_of_errors(name));
  }
  const std::size_t first = group.arrays.size();
  ESKER_RETURN_IF_ERROR(parse_arrays(json, names, words, group));
  for (std::size_t n = 0; n < of.size(); ++n) group.arrays[first + n].errors_of = of[n];
  return {};
}

/// Other programs copy attributes to groups with other arrays, for example with some of the steps.
Status check_dims(const Group& group) {
  std::map<std::pair<std::string, std::string>, Index> lengths;  // by level and dimension
  for (const Array& array : group.arrays) {
    for (std::size_t a = 0; a < array.dims.size(); ++a) {
      const Index first = array.dims[a] == group.time ? group.num_steps : array.shape[a];
      const Index expected = lengths.emplace(std::pair(array.level, array.dims[a]), first).first->second;
      if (array.shape[a] == expected && (a == 0 || array.dims[a] != group.time)) continue;
      return error(Code::kDataLoss,
                   "array '{}': axis {}, '{}', has {} samples, not as Esker writes it: expected {}{}",
                   excerpt(array.path()), a, excerpt(array.dims[a]), array.shape[a], expected,
                   array.dims[a] == group.time ? " on the first axis" : "");
    }
  }
  const Array times{group.time, group.num_levels > 0 ? group.level_names().front() : ""};
  if (group.num_steps <= 1 || group.find(times.path())) return {};
  return error(Code::kDataLoss, "{} steps, but no array of times", group.num_steps);
}

}  // namespace

std::vector<std::string> Group::level_names() const {
  std::vector<std::string> names;
  for (int level = 0; num_levels > 0 && level <= num_levels; ++level) names.push_back(std::to_string(level));
  return names;
}

const Array* Group::find(const std::string& path) const {
  const auto found = std::ranges::find(arrays, path, &Array::path);
  return found == arrays.end() ? nullptr : &*found;
}

Result<Group> parse_group(const std::string& text) {
  ESKER_ASSIGN_OR_RETURN(const JsonHolder holder, parse_json_object(text, kMaxSidecarBytes));
  ESKER_ASSIGN_OR_RETURN(const Json* attributes, get_object(holder.json, "attributes"));
  if (!attributes->contains(kEskerAttribute))
    return error(Code::kDataLoss, "the group was not written by Esker: it has no attribute '{}'",
                 kEskerAttribute);
  ESKER_ASSIGN_OR_RETURN(const std::string description, get_text(*attributes, kEskerAttribute));
  ESKER_ASSIGN_OR_RETURN(const JsonHolder ours, parse_json_object(description, kMaxSidecarBytes));
  ESKER_RETURN_IF_ERROR(check_format(ours.json, Group::kFormat));
  Group group;
  ESKER_ASSIGN_OR_RETURN(group.time, get_text(ours.json, kTime));
  ESKER_ASSIGN_OR_RETURN(group.num_steps, get_integer(ours.json, kSteps, 0, kMost));
  if (ours.json.contains(kLevels)) {
    ESKER_ASSIGN_OR_RETURN(const Index levels, get_integer(ours.json, kLevels, 0, kMostCoarseLevels));
    group.num_levels = static_cast<int>(levels);
  }
  if (ours.json.contains(kLevelValues)) {
    ESKER_ASSIGN_OR_RETURN(const std::string values, get_text(ours.json, kLevelValues));
    if (values != kMean || group.num_levels == 0)
      return error(Code::kDataLoss, "'{}': expected '{}', of a group with levels", kLevelValues, kMean);
    group.has_means = true;
  }
  ESKER_ASSIGN_OR_RETURN(const std::vector<std::string> paths, get_texts(ours.json, kArrays));
  if (ours.json.contains(kOtherSuffix)) {
    ESKER_ASSIGN_OR_RETURN(group.other_suffix, get_text(ours.json, kOtherSuffix));
  }
  ESKER_ASSIGN_OR_RETURN(const Words words, parse_words(ours.json));
  group.attributes = parse_attributes(*attributes);
  keep_words(*attributes, "", words, group.attributes);
  std::erase_if(group.attributes, [](const netcdf::Attribute& one) { return one.name == kEskerAttribute; });
  ESKER_RETURN_IF_ERROR(parse_arrays(holder.json, paths, words, group));
  ESKER_RETURN_IF_ERROR(parse_error_arrays(holder.json, ours.json, words, group));
  ESKER_RETURN_IF_ERROR(check_dims(group));
  return group;
}

Result<bool> is_of_esker(const std::string& text) {
  const auto holder = parse_json_object(text, kMaxSidecarBytes);
  if (!holder.ok()) return holder.status().code() == Code::kDataLoss ? Result<bool>(false) : holder.status();
  const auto attributes = holder->json.find("attributes");
  return attributes != holder->json.end() && attributes->is_object() && attributes->contains(kEskerAttribute);
}

}  // namespace esker::zarr
