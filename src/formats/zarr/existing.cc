#include "formats/zarr/existing.h"

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/macros.h"
#include "base/pack_values.h"
#include "base/text.h"
#include "format/schema_json.h"
#include "formats/netcdf/model/existing.h"
#include "formats/netcdf/model/values.h"
#include "formats/zarr/small_values.h"
#include "store/commit.h"

namespace esker::zarr {
namespace {

constexpr std::size_t kMostValueBytes = std::size_t{1} << 31U;

/// Reads the values of arrays whose chunks are files.
class ValueReader {
 public:
  /// A file is in the first of these places that has it.
  ValueReader(Store& store, std::vector<Paths> places, const Group& group)
      : store_(store), places_(std::move(places)), group_(group) {}

  /// Whether a file was missing or not readable.
  [[nodiscard]] bool has_failed() const { return has_failed_; }

  Result<std::string> text(const Array& array) { return on(array, 0, parse_text); }

  /// One value of each step, or all values.
  Result<AttributeValue> values(std::size_t number, Index step) {
    const Array& array = group_.arrays[number];
    if (array.is_text) {
      ESKER_ASSIGN_OR_RETURN(std::string found, text(array));
      return netcdf::to_text(std::move(found));
    }
    const bool has_steps = array.has_steps(group_.time);
    const bool is_plain =
        array.chunk.empty() && array.codec.kind == CodecKind::kRaw && array.shape.size() < 2;
    if (!is_plain || (!has_steps && array.shape != array.file))
      return error(Code::kDataLoss, "the array '{}' is not stored as Esker stores it", array.name);
    if (has_steps) return value_of_step(array, step);
    const Index n = array.shape.empty() ? 1 : array.shape[0];
    ESKER_ASSIGN_OR_RETURN(const Numbers numbers,
                           on(array, 0, [&](auto bytes) { return parse_values(bytes, array.type, n); }));
    return to_value(numbers);
  }

 private:
  template <class Parse>
  auto on(const Array& array, Index number, const Parse& parse)
      -> decltype(parse(std::span<const std::byte>())) {
    has_failed_ = true;  // unless this returns at the end
    ESKER_ASSIGN_OR_RETURN(const std::string path, find(array, number));
    ESKER_ASSIGN_OR_RETURN(const std::string bytes, read_text(store_, path, kMostValueBytes));
    auto found = parse(std::as_bytes(std::span(bytes)));
    if (!found.ok()) return found.status().with_context(path);
    has_failed_ = false;
    return found;
  }

  Result<std::string> find(const Array& array, Index number) const {
    for (const Paths& paths : places_) {
      std::string path = paths.file_of(array, number);
      ESKER_ASSIGN_OR_RETURN(const bool exists, store_.exists(path));
      if (exists) return path;
    }
    return error(Code::kDataLoss, "{} is missing", places_.back().file_of(array, number));
  }

  /// Steps are asked for in order.
  Result<AttributeValue> value_of_step(const Array& array, Index step) {
    const Index per_file = array.file[0], number = step / per_file;
    if (number != last_file_ || &array != last_) {
      ESKER_ASSIGN_OR_RETURN(values_, on(array, number, [&](auto bytes) {
                               return parse_values(bytes, array.type, std::min(per_file, std::ssize(bytes)));
                             }));
      last_file_ = number;
      last_ = &array;
    }
    return std::visit(
        [&](const auto& list) -> Result<AttributeValue> {
          const auto at = static_cast<std::size_t>(step % per_file);
          if (at >= list.size())
            return error(Code::kDataLoss, "{} has no value of step {}", places_.back().file_of(array, number),
                         step);
          return to_value(Numbers(std::decay_t<decltype(list)>{list[at]}));
        },
        values_);
  }

  Store& store_;
  std::vector<Paths> places_;
  const Group& group_;
  const Array* last_ = nullptr;
  Index last_file_ = -1;
  bool has_failed_ = false;
  Numbers values_;
};

/// A schema that cannot be is a damaged file.
Status in_file(const Status& status, const std::string& path) {
  const bool is_wrong = status.code() == Code::kInvalidArgument || status.code() == Code::kAlreadyExists;
  return (is_wrong ? Status(Code::kDataLoss, status.message()) : status).with_context(path);
}

Result<Existing> read_from(Store& store, const std::string& group_path, std::vector<Paths> places,
                           bool* is_damaged = nullptr) {
  Existing existing;
  ESKER_ASSIGN_OR_RETURN(existing.text, read_text(store, group_path, kMaxSidecarBytes));
  auto group = parse_group(existing.text);
  if (!group.ok()) return group.status().with_context(group_path);
  ValueReader reader(store, std::move(places), *group);
  std::vector<std::string> texts;
  for (const Array& array : group->arrays) {
    if (!array.is_text || array.level != group->arrays.front().level) continue;
    auto text = reader.text(array);
    if (is_damaged) *is_damaged = reader.has_failed();
    if (!text.ok()) return text.status();
    texts.push_back(*std::move(text));
  }
  const netcdf::Header header = header_of(*group, texts);
  const netcdf::ReadValues read = [&](int variable, Index step) {
    return reader.values(static_cast<std::size_t>(variable), step);
  };
  auto found = netcdf::read_ours(header, read, existing.warnings);
  if (is_damaged) *is_damaged = reader.has_failed();
  if (!found.ok()) return in_file(found.status(), group_path);
  existing.schema = std::move(found->schema);
  existing.times = std::move(found->times);
  auto model = find_in_group(existing.schema, *std::move(group));
  if (!model.ok()) return in_file(model.status(), group_path);
  existing.model = *std::move(model);
  return existing;
}

/// Whether arrays of the group that is there are still staged (creation.h).
Result<bool> has_unplaced(const Store& store, const Paths& paths) {
  if (!store.is_local()) return false;
  ESKER_ASSIGN_OR_RETURN(const bool is_staged, store.exists(paths.staged_mark()));
  if (!is_staged) return false;
  ESKER_ASSIGN_OR_RETURN(const bool is_of_another, store.exists(temporary_of(paths.group())));
  return !is_of_another;
}

}  // namespace

Result<Existing> read_existing(Store& store, const Paths& paths, bool* is_damaged) {
  ESKER_ASSIGN_OR_RETURN(const bool is_unfinished, has_unplaced(store, paths));
  if (is_unfinished) return read_from(store, paths.group(), {{paths.staged()}, paths}, is_damaged);
  return read_from(store, paths.group(), {paths}, is_damaged);
}

Result<Existing> read_staged(Store& store, const Paths& paths) {
  return read_from(store, temporary_of(paths.group()), {{paths.staged()}, paths});
}

std::string print_existing(const Existing& existing) {
  return pack_texts({existing.text, print_schema(existing.schema), pack_values(existing.times),
                     pack_texts(existing.warnings)});
}

Result<Existing> parse_existing(const std::string& text) {
  const std::vector<std::string> texts = unpack_texts(text);
  Existing existing;
  existing.text = texts.at(0);
  ESKER_ASSIGN_OR_RETURN(Group group, parse_group(existing.text));
  ESKER_ASSIGN_OR_RETURN(existing.schema, parse_schema(texts.at(1)));
  existing.times = unpack_values<double>(texts.at(2));
  existing.warnings = unpack_texts(texts.at(3));
  ESKER_ASSIGN_OR_RETURN(existing.model, find_in_group(existing.schema, std::move(group)));
  return existing;
}

Result<std::string> find_other_suffix(Store& store, const Paths& paths) {
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(paths.group()));
  if (!exists) return std::string();
  const auto text = read_text(store, paths.group(), kMaxSidecarBytes);
  const auto group = text.ok() ? parse_group(*text) : Result<Group>(text.status());
  if (group.ok()) return group->other_suffix;
  const Code code = group.status().code();
  return code == Code::kIoError || code == Code::kOutOfMemory ? group.status()
                                                              : Result<std::string>(std::string());
}

}  // namespace esker::zarr
