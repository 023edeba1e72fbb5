#include "format/json_text.h"

#include <charconv>
#include <limits>
#include <new>
#include <optional>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"

namespace esker {
namespace {

constexpr std::size_t kMaxNesting = 32;

/// Builds the value of a text. Stops at a duplicate key in an object (a parser keeps one of them, and other
/// software may keep the other) and at nesting deeper than kMaxNesting.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  /// The value, if sax_parse() succeeded.
  Json take() { return std::move(root_.json); }
  /// The error, if sax_parse() failed.
  [[nodiscard]] Status failure() const { return failure_; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& text) override { return add(std::move(text)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::value_t::object); }
  bool start_array(std::size_t) override { return open(Json::value_t::array); }
  bool end_object() override { return open_.pop_back(), true; }
  bool end_array() override { return open_.pop_back(), true; }
  bool key(string_t& name) override {
    const auto [member, is_new] = open_.back()->get_ref<Json::object_t&>().try_emplace(name);
    if (!is_new) return fail("the key '{}' occurs twice in an object", excerpt(name));
    member_ = &member->second;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& why) override {
    return fail("not JSON: {}", excerpt(why.what()));
  }

 private:
  template <class... Arguments>
  bool fail(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    failure_ = error(Code::kDataLoss, format, std::forward<Arguments>(arguments)...);
    return false;
  }

  /// Inserts a value: as the root, at the end of the innermost array, or as a member of an object.
  Json* place(Json&& value) {
    if (open_.empty()) return &(root_.json = std::move(value));
    if (open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
    return &(*member_ = std::move(value));
  }
  template <class Value>
  bool add(Value&& value) {
    return place(Json(std::forward<Value>(value))) != nullptr;
  }
  bool open(Json::value_t type) {
    if (open_.size() == kMaxNesting) return fail("JSON is nested deeper than {}", kMaxNesting);
    open_.push_back(place(Json(type)));
    return true;
  }

  JsonHolder root_;
  std::vector<Json*> open_;  ///< the containers around the next value, outermost first
  Json* member_ = nullptr;   ///< the member of the most recent key
  Status failure_;
};

/// Empties the containers in `json` from the leaves up; the nesting is at most kMaxNesting.
void take_apart(Json& json) noexcept {
  if (!json.is_structured()) return;
  for (Json& element : json) take_apart(element);
  json.clear();
}

Status wrong(const char* key, const char* expected, const Json& found) {
  return error(Code::kDataLoss, "'{}': expected {}, found {}", key, expected, found.type_name());
}

Result<const Json*> member(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end()) return error(Code::kDataLoss, "'{}' is missing", key);
  return &*found;
}

bool read_real(const Json& json, double& out) {
  if (json.is_number()) {
    out = json.get<double>();
    return true;
  }
  if (!json.is_string()) return false;
  const auto& text = json.get_ref<const std::string&>();
  if (text == "NaN")
    out = std::numeric_limits<double>::quiet_NaN();
  else if (text == "Infinity")
    out = std::numeric_limits<double>::infinity();
  else if (text == "-Infinity")
    out = -std::numeric_limits<double>::infinity();
  else
    return false;
  return true;
}

bool read_integer(const Json& json, Index& out) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  if (!json.is_number_integer()) return false;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > kMost) return false;
  out = json.get<Index>();
  return true;
}

bool read_integers(const Json& json, std::vector<Index>& out) {
  if (!json.is_array()) return false;
  out.resize(json.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!read_integer(json[i], out[i])) return false;
  }
  return true;
}

bool read_unsigned(const Json& json, std::uint64_t& out) {
  if (!json.is_number_unsigned()) return false;
  out = json.get<std::uint64_t>();
  return true;
}

bool read_text(const Json& json, std::string& out) {
  if (!json.is_string()) return false;
  out = json.get_ref<const std::string&>();
  return true;
}

/// A list whose elements `read` reads.
template <class T>
Result<std::vector<T>> get_list(const Json& object, const char* key, const char* expected,
                                bool (*read)(const Json&, T&)) {
  ESKER_ASSIGN_OR_RETURN(const Json* array, get_array(object, key));
  std::vector<T> values(array->size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!read((*array)[i], values[i])) return wrong(key, expected, (*array)[i]);
  }
  return values;
}

}  // namespace

JsonHolder::~JsonHolder() { take_apart(json); }

Result<JsonHolder> parse_json_object(const std::string& text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    return error(Code::kDataLoss, "JSON of {} bytes, expected at most {}", text.size(), max_bytes);
  }
  try {
    Builder builder;
    if (!Json::sax_parse(text, &builder)) return builder.failure();
    JsonHolder holder{builder.take()};
    if (holder.json.is_object()) return holder;
    return error(Code::kDataLoss, "expected a JSON object, found {}", holder.json.type_name());
  } catch (const nlohmann::json::exception& e) {
    return error(Code::kDataLoss, "not JSON: {}", excerpt(e.what()));
  } catch (const std::bad_alloc&) {
    return error(Code::kOutOfMemory, "out of memory for JSON of {} bytes", text.size());
  }
}

Result<Index> get_integer(const Json& object, const char* key, Index least, Index most) {
  ESKER_ASSIGN_OR_RETURN(const Json* json, member(object, key));
  Index value = 0;
  if (!read_integer(*json, value)) return wrong(key, "an integer", *json);
  if (value < least || value > most) {
    return error(Code::kDataLoss, "'{}': expected {} to {}, found {}", key, least, most, value);
  }
  return value;
}

Result<bool> get_bool(const Json& object, const char* key) {
  ESKER_ASSIGN_OR_RETURN(const Json* json, member(object, key));
  if (!json->is_boolean()) return wrong(key, "a boolean", *json);
  return json->get<bool>();
}

Result<std::string> get_text(const Json& object, const char* key) {
  ESKER_ASSIGN_OR_RETURN(const Json* json, member(object, key));
  std::string text;
  if (!read_text(*json, text)) return wrong(key, "a string", *json);
  return text;
}

Result<std::vector<double>> get_reals(const Json& object, const char* key) {
  return get_list<double>(object, key, "numbers", read_real);
}

Result<std::vector<Index>> get_integers(const Json& object, const char* key) {
  return get_list<Index>(object, key, "64-bit integers", read_integer);
}

Result<std::vector<std::vector<Index>>> get_lists_of_integers(const Json& object, const char* key) {
  return get_list<std::vector<Index>>(object, key, "lists of 64-bit integers", read_integers);
}

Result<Numbers> get_numbers(const Json& object, const char* key, SampleType type) {
  Numbers numbers;
  if (type >= SampleType::kFloat32) {
    ESKER_ASSIGN_OR_RETURN(numbers, get_reals(object, key));
  } else if (type == SampleType::kUint64) {
    ESKER_ASSIGN_OR_RETURN(numbers, get_list<std::uint64_t>(object, key, "64-bit integers", read_unsigned));
  } else {
    ESKER_ASSIGN_OR_RETURN(numbers, get_integers(object, key));
  }
  auto typed = to_type(numbers, type);
  if (!typed.ok()) return error(Code::kDataLoss, "'{}': {}", key, typed.status().message());
  return typed;
}

Result<std::vector<std::string>> get_texts(const Json& object, const char* key) {
  return get_list<std::string>(object, key, "texts", read_text);
}

Result<const Json*> get_array(const Json& object, const char* key) {
  ESKER_ASSIGN_OR_RETURN(const Json* json, member(object, key));
  if (!json->is_array()) return wrong(key, "an array", *json);
  return json;
}

Result<const Json*> get_object(const Json& object, const char* key) {
  ESKER_ASSIGN_OR_RETURN(const Json* json, member(object, key));
  if (!json->is_object()) return wrong(key, "an object", *json);
  return json;
}

std::string print_sum(std::uint64_t sum) { return fmt::format("{:016x}", sum); }

Result<std::uint64_t> get_sum(const Json& object, const char* key) {
  constexpr std::size_t kDigits = 16;
  ESKER_ASSIGN_OR_RETURN(const std::string text, get_text(object, key));
  std::uint64_t sum = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, sum, 16);
  if (parsed.ec == std::errc() && parsed.ptr == end && text.size() == kDigits) return sum;
  return error(Code::kDataLoss, "'{}': expected {} hexadecimal digits, found '{}'", excerpt(key), kDigits,
               excerpt(text));
}

Status check_format(const Json& object, int known) {
  ESKER_ASSIGN_OR_RETURN(const Index format,
                         get_integer(object, "format", 1, std::numeric_limits<int>::max()));
  if (format > known) {
    return error(Code::kUnsupported,
                 "format {} is newer than {}, the newest that this version of Esker reads", format, known);
  }
  return {};
}

}  // namespace esker
