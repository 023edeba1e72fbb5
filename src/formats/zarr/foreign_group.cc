#include "formats/zarr/foreign_group.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/schema_json.h"
#include "formats/zarr/json_values.h"
#include "formats/zarr/names.h"

namespace esker::zarr {
namespace {

constexpr const char* kAttributesFile = ".zattrs";
constexpr const char* kConsolidatedFile = ".zmetadata";
constexpr const char* kArrayNode = "array";

/// Names that are one component of a path.
bool is_path_component(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
         name.find('\\') == std::string::npos && name.find('\0') == std::string::npos;
}

class GroupReader {
 public:
  GroupReader(Store& store, const std::string& path) : store_(store) { group_.directory = path; }

  Result<ForeignGroup> read() {
    ESKER_RETURN_IF_ERROR(read_nodes());
    std::ranges::sort(group_.arrays, {}, &ForeignArray::name);
    std::ranges::sort(group_.groups);
    return std::move(group_);
  }

 private:
  Status read_nodes() {
    const std::string& path = group_.directory;
    ESKER_ASSIGN_OR_RETURN(const auto v3, read_json(path + "/" + kMetadataFile));
    if (v3) return read_v3(v3->json).with_context(path);
    ESKER_ASSIGN_OR_RETURN(const auto array, read_json(path + "/" + kArrayFileV2));
    if (array) return add_only_array_v2(array->json);
    ESKER_ASSIGN_OR_RETURN(const bool is_group, store_.exists(path + "/" + kGroupFileV2));
    if (is_group) return read_v2();
    return error(Code::kNotFound, "{}: not a Zarr group", path);
  }

  /// Nothing if the file does not exist.
  Result<std::optional<JsonHolder>> read_json(const std::string& path) {
    ESKER_ASSIGN_OR_RETURN(const bool exists, store_.exists(path));
    if (!exists) return std::optional<JsonHolder>();
    ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store_, path, kMaxSidecarBytes));
    ++group_.metadata_files;
    group_.metadata_bytes += std::ssize(text);
    auto found = parse_json_object(with_quoted_reals(text), kMaxSidecarBytes);
    if (!found.ok()) return found.status().with_context(path);
    return std::optional<JsonHolder>(std::move(*found));
  }

  void add_attributes(const Json& json) {
    if (json.is_object()) group_.attributes = parse_attributes(json, {}, &group_.left_out);
  }

  /// The name of the array that the dataset is.
  [[nodiscard]] std::string own_name() const {
    std::string name = group_.directory.substr(group_.directory.rfind('/') + 1);
    if (const auto dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.resize(dot);
    return name;
  }

  // v3

  Status read_v3(const Json& json) {
    ESKER_ASSIGN_OR_RETURN(const std::string type, get_text(json, "node_type"));
    if (type == kArrayNode) {
      group_.is_array = true;
      group_.arrays.push_back(parse_array_v3(own_name(), json));
      return {};
    }
    if (const auto attributes = json.find("attributes"); attributes != json.end())
      add_attributes(*attributes);
    if (const Json* nodes = consolidated_in(json)) {
      for (const auto& node : nodes->items()) add_node_v3(node.key(), node.value());
      return {};
    }
    return for_each_name([&](const std::string& name) -> Status {
      const auto node = read_json(group_.directory + "/" + name + "/" + kMetadataFile);
      if (!node.ok()) return leave_out(name, node.status());
      if (*node) add_node_v3(name, (*node)->json);
      return {};
    });
  }

  /// Null if there are none.
  static const Json* consolidated_in(const Json& json) {
    const auto consolidated = json.find("consolidated_metadata");
    if (consolidated == json.end() || !consolidated->is_object()) return nullptr;
    const auto nodes = consolidated->find("metadata");
    return nodes != consolidated->end() && nodes->is_object() ? &*nodes : nullptr;
  }

  void add_node_v3(const std::string& name, const Json& json) {
    if (!is_path_component(name) || !json.is_object()) return;
    const auto type = json.find("node_type");
    if (type != json.end() && *type == kArrayNode) group_.arrays.push_back(parse_array_v3(name, json));
    if (type != json.end() && *type == "group") group_.groups.push_back(name);
  }

  // v2

  Status add_only_array_v2(const Json& json) {
    group_.is_array = true;
    ESKER_ASSIGN_OR_RETURN(const auto attributes, read_json(group_.directory + "/" + kAttributesFile));
    group_.arrays.push_back(parse_array_v2(own_name(), json, attributes ? &attributes->json : nullptr));
    return {};
  }

  Status read_v2() {
    ESKER_ASSIGN_OR_RETURN(const auto all, read_json(group_.directory + "/" + kConsolidatedFile));
    if (all) return read_consolidated_v2(all->json).with_context(group_.directory + "/" + kConsolidatedFile);
    ESKER_ASSIGN_OR_RETURN(const auto attributes, read_json(group_.directory + "/" + kAttributesFile));
    if (attributes) add_attributes(attributes->json);
    return for_each_name([&](const std::string& name) { return add_node_v2(name); });
  }

  Status read_consolidated_v2(const Json& json) {
    ESKER_ASSIGN_OR_RETURN(const Json* nodes, get_object(json, "metadata"));
    for (const auto& node : nodes->items()) {
      const std::string& key = node.key();
      const std::size_t slash = key.find('/');
      if (key == kAttributesFile) add_attributes(node.value());
      if (slash == std::string::npos || !node.value().is_object()) continue;
      const std::string name = key.substr(0, slash), file = key.substr(slash + 1);
      if (!is_path_component(name)) continue;
      if (file == kGroupFileV2) group_.groups.push_back(name);
      if (file != kArrayFileV2) continue;
      const auto attributes = nodes->find(name + "/" + kAttributesFile);
      const bool has_attributes = attributes != nodes->end() && attributes->is_object();
      group_.arrays.push_back(parse_array_v2(name, node.value(), has_attributes ? &*attributes : nullptr));
    }
    return {};
  }

  Status add_node_v2(const std::string& name) {
    const std::string directory = group_.directory + "/" + name + "/";
    const auto array = read_json(directory + kArrayFileV2);
    if (!array.ok()) return leave_out(name, array.status());
    if (!*array) {
      ESKER_ASSIGN_OR_RETURN(const bool is_group, store_.exists(directory + kGroupFileV2));
      if (is_group) group_.groups.push_back(name);
      return {};
    }
    const auto attributes = read_json(directory + kAttributesFile);
    if (!attributes.ok()) return leave_out(name, attributes.status());
    const Json* const found = *attributes ? &(*attributes)->json : nullptr;
    group_.arrays.push_back(parse_array_v2(name, (*array)->json, found));
    return {};
  }

  /// An array whose metadata are damaged.
  Status leave_out(const std::string& name, const Status& why) {
    if (why.code() != Code::kDataLoss) return why;
    group_.arrays.push_back({name, why.message()});
    return {};
  }

  template <class Visit>
  Status for_each_name(const Visit& visit) {
    const auto names = store_.list(group_.directory);
    if (!names.ok() && names.status().code() == Code::kUnsupported) {
      return error(
          Code::kUnsupported,
          "{}: the group has no consolidated metadata, which list its arrays, and the files cannot be "
          "listed ({}): consolidate them (zarr.consolidate_metadata), or open one of its arrays",
          group_.directory, names.status().message());
    }
    ESKER_RETURN_IF_ERROR(names.status());
    for (const std::string& name : *names) {
      if (is_path_component(name)) ESKER_RETURN_IF_ERROR(visit(name));
    }
    return {};
  }

  Store& store_;
  ForeignGroup group_;
};

}  // namespace

std::string with_quoted_reals(const std::string& text) {
  static constexpr std::array<std::string_view, 3> kReals{kMinusInfinity, kInfinity, kNaN};
  std::string quoted;
  bool is_in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') is_in_text = !is_in_text;
    if (is_in_text && c == '\\' && at + 1 < text.size()) quoted += text[at++];
    const auto* const word = std::ranges::find_if(kReals, [&](std::string_view one) {
      return !is_in_text && std::string_view(text).substr(at).starts_with(one);
    });
    if (word == kReals.end()) {
      quoted += text[at];
    } else {
      quoted += '"' + std::string(*word) + '"';
      at += word->size() - 1;
    }
  }
  return quoted;
}

Result<ForeignGroup> read_foreign_group(Store& store, const std::string& path) {
  return GroupReader(store, path).read();
}

}  // namespace esker::zarr
