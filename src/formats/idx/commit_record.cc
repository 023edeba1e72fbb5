// clang-format off
// record = {"format": 1 ... 5, "generation": integer, "times": [real ...],
//           "absent": {"step": ["field" ...] ...}, ["split": {"field": ["field" ...] ...}],
//           ["errors": {"field": [real ...] ...}],                              ; one per step, with format 3
//           ["sets": {"step": "16 hexadecimal digits" ...}],                    ; with format 4
//           ["merged": integer],                                                ; with (bricks)
//           ["corner": [integer ...]],                                          ; with format 5
//           ["alignment": integer], ["checksums": bool],
//           "sum": "16 hexadecimal digits"}                                     ; with format 2 ... 5
// clang-format on
#include "formats/idx/commit_record.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/json_text.h"
#include "format/json_writer.h"
#include "formats/idx/header.h"

namespace esker::idx {
namespace {

constexpr Index kMaxAlignmentBytes = Index{1} << 30;

Status read_absent(const Json& absent, CommitRecord& record) {
  for (const auto& [key, names] : absent.items()) {
    const auto step = parse_integer(key);
    if (!step || *step < 0 || *step >= static_cast<Index>(record.times.size())) {
      return error(Code::kDataLoss, "'absent': expected steps below {}, found '{}'", record.times.size(),
                   excerpt(key));
    }
    ESKER_ASSIGN_OR_RETURN(record.absent[*step], get_texts(absent, key.c_str()));
  }
  return {};
}

Status read_split(const Json& json, CommitRecord& record) {
  ESKER_ASSIGN_OR_RETURN(const Json* split, get_object(json, "split"));
  for (const auto& item : split->items()) {
    ESKER_ASSIGN_OR_RETURN(record.split[item.key()], get_texts(*split, item.key().c_str()));
    if (record.split[item.key()].size() < 2) {
      return error(Code::kDataLoss, "'split': field '{}': expected two parts or more", excerpt(item.key()));
    }
  }
  return {};
}

Status read_errors(const Json& json, CommitRecord& record) {
  ESKER_ASSIGN_OR_RETURN(const Json* errors, get_object(json, "errors"));
  for (const auto& item : errors->items()) {
    ESKER_ASSIGN_OR_RETURN(const std::vector<double> values, get_reals(*errors, item.key().c_str()));
    const bool are_valid = std::all_of(values.begin(), values.end(), [](double value) { return value >= 0; });
    if (values.size() != record.times.size() || !are_valid) {
      return error(Code::kDataLoss, "'errors': field '{}': expected {} numbers of 0 or more",
                   excerpt(item.key()), record.times.size());
    }
    record.errors[item.key()] = values;
  }
  return {};
}

/// Fixed fields have one step, whose time is not in the record.
Status read_sets(const Json& json, CommitRecord& record) {
  ESKER_ASSIGN_OR_RETURN(const Json* sets, get_object(json, "sets"));
  const auto num_steps = std::max<Index>(1, std::ssize(record.times));
  for (const auto& item : sets->items()) {
    const auto step = parse_integer(item.key());
    if (!step || *step < 0 || *step >= num_steps) {
      return error(Code::kDataLoss, "'sets': expected steps below {}, found '{}'", num_steps,
                   excerpt(item.key()));
    }
    ESKER_ASSIGN_OR_RETURN(record.sets[*step], get_sum(*sets, item.key().c_str()));
  }
  return {};
}

int format_of(const CommitRecord& record) {
  if (!record.sum) return 1;
  if (!record.corner.empty()) return CommitRecord::kFormat;
  if (!record.sets.empty()) return 4;
  return record.errors.empty() ? 2 : 3;
}

}  // namespace

std::map<std::string, std::string> fields_of_columns(const CommitRecord& record) {
  std::map<std::string, std::string> fields;
  for (const auto& [field, columns] : record.split) {
    for (const std::string& column : columns) fields[column] = field;
  }
  return fields;
}

std::string print_commit_record(const CommitRecord& record) {
  JsonWriter json;
  json.object([&] {
    json.key("format").integer(format_of(record));
    json.key("generation").integer(record.generation);
    json.key("times").reals(record.times);
    json.key("absent").object([&] {
      for (const auto& [step, names] : record.absent) json.key(std::to_string(step)).texts(names);
    });
    if (!record.split.empty()) {
      json.key("split").object([&] {
        for (const auto& [name, parts] : record.split) json.key(name).texts(parts);
      });
    }
    if (!record.errors.empty()) {
      json.key("errors").object([&] {
        for (const auto& [name, values] : record.errors) json.key(name).reals(values);
      });
    }
    if (!record.sets.empty()) {
      json.key("sets").object([&] {
        for (const auto& [step, sum] : record.sets) json.key(std::to_string(step)).text(print_sum(sum));
      });
    }
    if (record.merged > 0) json.key("merged").integer(record.merged);
    if (!record.corner.empty()) {
      json.key("corner").array([&] {
        for (const Index lo : record.corner) json.integer(lo);
      });
    }
    json.key("alignment").integer(record.alignment_bytes);
    json.key("checksums").boolean(record.checksums);
    if (record.sum) json.key("sum").text(print_sum(*record.sum));
  });
  return json.take();
}

Result<CommitRecord> parse_commit_record(const std::string& text) {
  ESKER_ASSIGN_OR_RETURN(const JsonHolder holder, parse_json_object(text, kMaxHeaderBytes));
  const Json& json = holder.json;
  ESKER_RETURN_IF_ERROR(check_format(json, CommitRecord::kFormat));
  CommitRecord record;
  ESKER_ASSIGN_OR_RETURN(record.generation,
                         get_integer(json, "generation", 0, std::numeric_limits<Index>::max()));
  ESKER_ASSIGN_OR_RETURN(record.times, get_reals(json, "times"));
  ESKER_ASSIGN_OR_RETURN(const Json* absent, get_object(json, "absent"));
  ESKER_RETURN_IF_ERROR(read_absent(*absent, record));
  if (json.contains("split")) ESKER_RETURN_IF_ERROR(read_split(json, record));
  if (json.contains("errors")) ESKER_RETURN_IF_ERROR(read_errors(json, record));
  if (json.contains("sets")) ESKER_RETURN_IF_ERROR(read_sets(json, record));
  if (json.contains("merged")) {
    const auto num_steps = std::max<Index>(1, std::ssize(record.times));
    ESKER_ASSIGN_OR_RETURN(record.merged, get_integer(json, "merged", 0, num_steps));
  }
  if (json.contains("corner")) {
    ESKER_ASSIGN_OR_RETURN(record.corner, get_integers(json, "corner"));
  }
  if (json.contains("alignment")) {
    ESKER_ASSIGN_OR_RETURN(record.alignment_bytes, get_integer(json, "alignment", 1, kMaxAlignmentBytes));
  }
  if (json.contains("checksums")) {
    ESKER_ASSIGN_OR_RETURN(record.checksums, get_bool(json, "checksums"));
  }
  ESKER_ASSIGN_OR_RETURN(const Index format, get_integer(json, "format", 1, CommitRecord::kFormat));
  if (format > 1 || json.contains("sum")) {
    ESKER_ASSIGN_OR_RETURN(record.sum, get_sum(json));
  }
  return record;
}

}  // namespace esker::idx
