// Parses JSON from files: bounded, without exceptions, with errors that tell what was expected and found.
//
// Reals that JSON lacks are the strings "NaN", "Infinity" and "-Infinity". json_writer.h writes JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"

namespace esker {

using Json = nlohmann::json;

/// Owns a parsed value. The library's destructor allocates memory for nested values, and terminates the
/// program if the allocation fails; this one does not allocate.
struct JsonHolder {
  Json json;

  JsonHolder() = default;
  explicit JsonHolder(Json&& value) noexcept : json(std::move(value)) {}
  JsonHolder(JsonHolder&&) noexcept = default;
  JsonHolder& operator=(JsonHolder&&) = delete;
  ~JsonHolder();
};

/// Parses `text` as a JSON object. kDataLoss: not JSON, not an object, a duplicate key in an object, larger
/// than `max_bytes`, nested deeper than 32. kOutOfMemory.
Result<JsonHolder> parse_json_object(const std::string& text, std::size_t max_bytes);

// Members of objects. kDataLoss, naming the key: missing, of another type, or out of range.
Result<Index> get_integer(const Json& object, const char* key, Index least, Index most);
Result<bool> get_bool(const Json& object, const char* key);
Result<std::string> get_text(const Json& object, const char* key);
Result<std::vector<double>> get_reals(const Json& object, const char* key);
Result<std::vector<Index>> get_integers(const Json& object, const char* key);
Result<std::vector<std::vector<Index>>> get_lists_of_integers(const Json& object, const char* key);
Result<Numbers> get_numbers(const Json& object, const char* key, SampleType type);
Result<std::vector<std::string>> get_texts(const Json& object, const char* key);
/// The member itself, owned by `object`.
Result<const Json*> get_array(const Json& object, const char* key);
Result<const Json*> get_object(const Json& object, const char* key);

/// A checksum in JSON: 16 hexadecimal digits.
std::string print_sum(std::uint64_t sum);
/// The member "sum".
Result<std::uint64_t> get_sum(const Json& object, const char* key = "sum");

/// Checks the member "format" before all others: kUnsupported if it is newer than `known`.
Status check_format(const Json& object, int known);

}  // namespace esker
