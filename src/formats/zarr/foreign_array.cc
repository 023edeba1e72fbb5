#include "formats/zarr/foreign_array.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/netcdf/model/values.h"
#include "formats/zarr/json_values.h"
#include "formats/zarr/names.h"
#include "formats/zarr/small_values.h"

namespace esker::zarr {
namespace {

constexpr std::size_t kMostAxes = kMaxRank + 3;  // steps, components and characters, too
constexpr std::size_t kMostCodecs = 8;
constexpr const char* kBoolType = "bool";

/// A fill value that is written as its bits: "0x7fc00000". Nothing if it is not one of this size.
std::optional<std::vector<std::byte>> bits_of(const std::string& text, std::size_t num_bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (!text.starts_with("0x") || text.size() != 2 + 2 * num_bytes) return std::nullopt;
  std::vector<std::byte> bytes(num_bytes);
  for (std::size_t n = 0; n < 2 * num_bytes; ++n) {
    const auto lower = static_cast<char>(text[2 + n] | 0x20);
    const std::size_t digit = kDigits.find(lower);
    if (digit == std::string_view::npos) return std::nullopt;
    std::byte& to = bytes[num_bytes - 1 - n / 2];  // the text begins with the highest digit
    to = to << 4 | static_cast<std::byte>(digit);
  }
  return bytes;
}

std::optional<std::vector<std::byte>> fill_of_bits(const std::string& text, const StoredType& type) {
  if (!type.is_half) return bits_of(text, static_cast<std::size_t>(size_bytes(type.type)));
  const auto half = bits_of(text, 2);
  if (!half) return std::nullopt;
  std::vector<std::byte> value(sizeof(float));
  const CodecChain chain{.value_bytes = sizeof(float), .is_half = true};
  if (!decode_chunk(chain, *half, value).ok()) return std::nullopt;
  return value;
}

Result<StoredType> type_v3(const std::string& name) {
  StoredType type;
  type.is_bool = name == kBoolType;
  type.is_half = name == "float16";
  if (type.is_bool) type.type = SampleType::kInt8;
  if (type.is_half) type.type = SampleType::kFloat32;
  if (type.is_bool || type.is_half) return type;
  const auto known = parse_sample_type(name);
  if (!known.ok() || esker::name(*known) != name)
    return error(Code::kUnsupported, "values of the type '{}' are not supported", excerpt(name));
  type.type = *known;
  return type;
}

/// Of `bytes`.
Status take_byte_order(const Named& codec, CodecChain& chain) {
  if (!codec.configuration || !codec.configuration->contains("endian")) return {};
  ESKER_ASSIGN_OR_RETURN(const std::string order, get_text(*codec.configuration, "endian"));
  if (order != "little" && order != "big")
    return error(Code::kUnsupported, "codec '{}' with the byte order '{}'", kBytes, excerpt(order));
  chain.is_big_endian = order == "big";
  return {};
}

/// Of `transpose`: the axis that is stored n-th. Several in a row are applied one after the other.
Status take_order(const Named& codec, std::size_t rank, CodecChain& chain) {
  if (!codec.configuration) return error(Code::kDataLoss, "codec 'transpose' has no configuration");
  const auto order = get_integers(*codec.configuration, "order");
  if (!order.ok()) return error(Code::kUnsupported, "codec 'transpose': {}", order.status().message());
  std::vector<Index> sorted = *order, all(rank);
  std::ranges::sort(sorted);
  std::iota(all.begin(), all.end(), Index{0});
  if (sorted != all) return error(Code::kDataLoss, "codec 'transpose' does not order {} axes", rank);
  std::vector<int> axes;
  for (const Index axis : *order) {
    axes.push_back(chain.order.empty() ? static_cast<int>(axis)
                                       : chain.order[static_cast<std::size_t>(axis)]);
  }
  chain.order = std::move(axes);
  if (std::ranges::is_sorted(chain.order)) chain.order.clear();
  return {};
}

/// The codecs of a chunk.
Status parse_chain(const Json& list, std::size_t rank, CodecChain& chain) {
  bool has_bytes = false;
  if (list.size() > kMostCodecs) return error(Code::kUnsupported, "{} codecs", list.size());
  for (const Json& one : list) {
    ESKER_ASSIGN_OR_RETURN(const Named codec, parse_named(one));
    if (codec.name == "transpose" && !has_bytes) {
      ESKER_RETURN_IF_ERROR(take_order(codec, rank, chain));
    } else if (codec.name == kBytes && !has_bytes) {
      ESKER_RETURN_IF_ERROR(take_byte_order(codec, chain));
      has_bytes = true;
    } else if (has_bytes) {
      ESKER_RETURN_IF_ERROR(add_codec(codec.name, chain));
    } else {
      return error(Code::kUnsupported, "codec '{}' before '{}' is not supported", excerpt(codec.name),
                   kBytes);
    }
  }
  return has_bytes ? Status() : error(Code::kUnsupported, "no codec '{}'", kBytes);
}

Status parse_index_codecs(const Json& of, StoredForm& form) {
  if (of.contains("index_location")) {
    ESKER_ASSIGN_OR_RETURN(const std::string location, get_text(of, "index_location"));
    if (location != "start" && location != "end")
      return error(Code::kUnsupported, "the index of shards is at '{}'", excerpt(location));
    form.has_index_at_start = location == "start";
  }
  CodecChain chain;
  ESKER_ASSIGN_OR_RETURN(const Json* list, get_array(of, "index_codecs"));
  ESKER_RETURN_IF_ERROR(parse_chain(*list, form.shape.size() + 1, chain).with_context("index of shards"));
  form.has_index_sum = chain.codecs == std::vector{ByteCodec::kWithSum};
  if (!chain.is_big_endian && chain.order.empty() && (chain.codecs.empty() || form.has_index_sum)) return {};
  return error(Code::kUnsupported, "the index of shards has other codecs than '{}' and '{}'", kBytes, kSums);
}

Status parse_codecs(const Json& json, StoredForm& form) {
  ESKER_ASSIGN_OR_RETURN(const Json* list, get_array(json, "codecs"));
  if (list->empty()) return error(Code::kDataLoss, "'codecs' is empty");
  ESKER_ASSIGN_OR_RETURN(const Named first, parse_named(list->front()));
  form.chunk = form.file;
  if (first.name != kSharding) return parse_chain(*list, form.shape.size(), form.chain);
  if (list->size() > 1) {
    ESKER_ASSIGN_OR_RETURN(const Named next, parse_named((*list)[1]));
    return error(Code::kUnsupported, "codec '{}' after '{}' is not supported", excerpt(next.name), kSharding);
  }
  if (!first.configuration) return error(Code::kDataLoss, "codec '{}' has no configuration", kSharding);
  form.is_sharded = true;
  ESKER_ASSIGN_OR_RETURN(form.chunk,
                         parse_extents(*first.configuration, "chunk_shape", form.shape.size(), 1));
  ESKER_RETURN_IF_ERROR(parse_index_codecs(*first.configuration, form));
  ESKER_ASSIGN_OR_RETURN(const Json* inner, get_array(*first.configuration, "codecs"));
  return parse_chain(*inner, form.shape.size(), form.chain);
}

Status parse_keys(const Json& json, KeyForm& keys) {
  if (!json.contains("chunk_key_encoding")) return error(Code::kDataLoss, "'chunk_key_encoding' is missing");
  ESKER_ASSIGN_OR_RETURN(const Named encoding, parse_named(json["chunk_key_encoding"]));
  if (encoding.name != "default" && encoding.name != "v2")
    return error(Code::kUnsupported, "chunk key encoding '{}'", excerpt(encoding.name));
  keys.has_prefix = encoding.name == "default";
  keys.separator = keys.has_prefix ? '/' : '.';
  if (!encoding.configuration || !encoding.configuration->contains("separator")) return {};
  ESKER_ASSIGN_OR_RETURN(const std::string separator, get_text(*encoding.configuration, "separator"));
  if (separator != "/" && separator != ".")
    return error(Code::kUnsupported, "chunk keys with the separator '{}'", excerpt(separator));
  keys.separator = separator.front();
  return {};
}

/// Members that change what the others mean, which a reader has to refuse.
Status check_members(const Json& json) {
  static constexpr std::array kKnown{"zarr_format",     "node_type",           "shape",
                                     "data_type",       "chunk_grid",          "fill_value",
                                     "codecs",          "attributes",          "chunk_key_encoding",
                                     "dimension_names", "storage_transformers"};
  for (const auto& member : json.items()) {
    if (std::ranges::find(kKnown, member.key()) != kKnown.end()) continue;
    const Json& value = member.value();
    const auto must = value.is_object() ? value.find("must_understand") : value.end();
    const bool is_optional = value.is_object() && must != value.end() && *must == false;
    if (!is_optional) return error(Code::kUnsupported, "extension '{}'", excerpt(member.key()));
  }
  const auto transformers = json.find("storage_transformers");
  if (transformers == json.end() || transformers->empty()) return {};
  return error(Code::kUnsupported, "storage transformers are not supported");
}

/// Names may be null, each or all.
Status parse_names(const Json& json, std::size_t rank, std::vector<std::string>& dims) {
  const auto names = json.find("dimension_names");
  if (names == json.end() || names->is_null()) return {};
  if (!names->is_array() || names->size() != rank)
    return error(Code::kDataLoss, "'dimension_names' are not {} names", rank);
  for (std::size_t a = 0; a < rank; ++a) {
    const Json& one = (*names)[a];
    if (one.is_string()) dims[a] = one.get<std::string>();
  }
  return {};
}

/// A text without axes, in one chunk.
Status parse_text_form(const Json& json, ForeignArray& array) {
  array.is_text = true;
  if (!array.form.shape.empty())
    return error(Code::kUnsupported, "lists of texts ('{}') are not supported", kTextType);
  ESKER_ASSIGN_OR_RETURN(const Json* list, get_array(json, "codecs"));
  for (std::size_t n = 0; n < list->size(); ++n) {
    ESKER_ASSIGN_OR_RETURN(const Named codec, parse_named((*list)[n]));
    const bool is_compression = n == 1 && codec.name == kZstd;
    if (is_compression) array.form.chain.codecs = {ByteCodec::kInZstd};
    if (!is_compression && !(n == 0 && codec.name == kTexts))
      return error(Code::kUnsupported, "codec '{}' of a text is not supported", excerpt(codec.name));
  }
  return list->empty() ? error(Code::kDataLoss, "'codecs' is empty") : Status();
}

/// All but attributes and names of dimensions.
Status parse_values_v3(const Json& json, ForeignArray& array) {
  ESKER_RETURN_IF_ERROR(check_members(json));
  ESKER_RETURN_IF_ERROR(parse_keys(json, array.form.keys));
  if (!json.contains("data_type")) return error(Code::kDataLoss, "'data_type' is missing");
  ESKER_ASSIGN_OR_RETURN(const Named type_name, parse_named(json["data_type"]));
  if (type_name.name == kTextType) return parse_text_form(json, array);
  ESKER_ASSIGN_OR_RETURN(const StoredType type, type_v3(type_name.name));
  if (!json.contains("chunk_grid")) return error(Code::kDataLoss, "'chunk_grid' is missing");
  ESKER_ASSIGN_OR_RETURN(const Named grid, parse_named(json["chunk_grid"]));
  if (grid.name != "regular" || !grid.configuration)
    return error(Code::kUnsupported, "chunk grid '{}' is not supported", excerpt(grid.name));
  ESKER_ASSIGN_OR_RETURN(array.form.file,
                         parse_extents(*grid.configuration, "chunk_shape", array.form.shape.size(), 1));
  ESKER_RETURN_IF_ERROR(parse_codecs(json, array.form));
  set_type(type, array);
  ESKER_RETURN_IF_ERROR(set_fill(json, type, array));
  return check_form(array.form);
}

}  // namespace

void set_type(const StoredType& type, ForeignArray& array) {
  array.type = type.type;
  array.form.chain.value_bytes = size_bytes(type.type);
  array.form.chain.is_half = type.is_half;
  array.is_characters = type.num_characters > 0;
  const char* const told = type.is_bool ? kBoolType : nullptr;
  if (told) array.attributes.push_back(netcdf::to_attribute(netcdf::kSampleTypeAttribute, std::string(told)));
  if (!array.is_characters) return;
  if (!array.form.chain.order.empty())
    array.form.chain.order.push_back(static_cast<int>(array.form.shape.size()));
  for (auto* extents : {&array.form.shape, &array.form.file, &array.form.chunk}) {
    extents->push_back(type.num_characters);
  }
}

Status check_shape(const std::vector<Index>& shape) {
  if (std::ranges::any_of(shape, [](Index n) { return n < 0; }))
    return error(Code::kDataLoss, "'shape' has a negative number");
  if (shape.size() <= kMostAxes) return {};
  return error(Code::kUnsupported, "it has {} axes; at most {} are supported", shape.size(), kMaxRank);
}

void take_attributes(const Json& json, ForeignArray& array) {
  for (netcdf::Attribute& own : parse_attributes(json, array.type, &array.left_out)) {
    std::erase_if(array.attributes, [&](const netcdf::Attribute& made) { return made.name == own.name; });
    array.attributes.push_back(std::move(own));
  }
}

Status add_codec(const std::string& name, CodecChain& chain) {
  static constexpr std::array<std::pair<std::string_view, ByteCodec>, 6> kCodecs{
      {{kGzip, ByteCodec::kInGzip},
       {"zlib", ByteCodec::kInZlib},
       {kZstd, ByteCodec::kInZstd},
       {kBlosc, ByteCodec::kInBlosc},
       {"lz4", ByteCodec::kInLz4},
       {kSums, ByteCodec::kWithSum}}};
  constexpr std::string_view kOther =
      "numcodecs.";  // the same codecs by the names that zarr-python has for them
  std::string_view known = name;
  if (known.starts_with(kOther)) known.remove_prefix(kOther.size());
  const auto* const found = std::ranges::find(kCodecs, known, &decltype(kCodecs)::value_type::first);
  if (found == kCodecs.end()) return error(Code::kUnsupported, "codec '{}' is not supported", excerpt(name));
  const bool is_second =
      std::ranges::any_of(chain.codecs, [](ByteCodec c) { return c != ByteCodec::kWithSum; });
  if (is_second && found->second != ByteCodec::kWithSum)
    return error(Code::kUnsupported, "codec '{}' after another compression is not supported", excerpt(name));
  chain.codecs.push_back(found->second);
  return {};
}

Status set_fill(const Json& json, const StoredType& type, ForeignArray& array) {
  std::vector<std::byte>& fill = array.form.fill;
  fill.assign(static_cast<std::size_t>(size_bytes(type.type)), std::byte{0});
  const auto value = json.find("fill_value");
  if (value == json.end() || value->is_null() || type.num_characters > 0) return {};
  if (value->is_boolean() && type.is_bool) {
    fill.front() = static_cast<std::byte>(value->get<bool>());
    return {};
  }
  if (value->is_string()) {
    if (auto bits = fill_of_bits(value->get_ref<const std::string&>(), type)) {
      fill = *std::move(bits);
      return {};
    }
  }
  ESKER_ASSIGN_OR_RETURN(fill, parse_fill(json, type.type));
  return {};
}

Status check_form(const StoredForm& form) {
  const auto product = [&](const std::vector<Index>& extents) {
    std::optional<Index> bytes = form.chain.value_bytes;
    for (const Index extent : extents) {
      if (bytes) bytes = checked_mul(*bytes, std::max<Index>(extent, 1));
    }
    return bytes;
  };
  if (!product(form.shape) || !product(form.file))
    return error(Code::kDataLoss, "it has more bytes than 64 bits can count");
  for (std::size_t a = 0; a < form.file.size(); ++a) {
    if (form.chunk[a] < 1) return error(Code::kDataLoss, "chunks of {} samples on axis {}", form.chunk[a], a);
    if (form.file[a] % form.chunk[a] == 0) continue;
    return error(Code::kDataLoss, "shards of {} samples on axis {} do not consist of chunks of {}",
                 form.file[a], a, form.chunk[a]);
  }
  const Index chunk_bytes = product(form.chunk).value_or(kMostDecodedBytes);
  if (chunk_bytes >= kMostDecodedBytes)
    return error(Code::kUnsupported, "a chunk has {} bytes; less than {} are supported", chunk_bytes,
                 kMostDecodedBytes);
  const Index num_chunks = *product(form.file) / chunk_bytes;
  if (num_chunks <= kMostForeignShardChunks) return {};
  return error(Code::kUnsupported, "a shard has {} chunks; at most {} are supported", num_chunks,
               kMostForeignShardChunks);
}

ForeignArray parse_array_v3(const std::string& name, const Json& json) {
  ForeignArray array{name};
  const auto parse = [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(array.form.shape, get_integers(json, "shape"));
    ESKER_RETURN_IF_ERROR(check_shape(array.form.shape));
    array.dims.resize(array.form.shape.size());
    ESKER_RETURN_IF_ERROR(parse_names(json, array.dims.size(), array.dims));
    return parse_values_v3(json, array);
  };
  const Status status = parse();
  if (!status.ok()) array.unsupported = status.message();
  const auto attributes = json.find("attributes");
  if (attributes != json.end() && attributes->is_object()) take_attributes(*attributes, array);
  return array;
}

}  // namespace esker::zarr
