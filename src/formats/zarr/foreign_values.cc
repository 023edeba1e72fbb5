#include "formats/zarr/foreign_values.h"

#include <span>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "codec/codecs.h"
#include "formats/netcdf/model/values.h"
#include "formats/zarr/chunk_files.h"
#include "formats/zarr/foreign_header.h"
#include "formats/zarr/small_values.h"
#include "read/chunk_reader.h"

namespace esker::zarr {
namespace {

constexpr std::size_t kMostTextBytes = std::size_t{64} << 10U;

}  // namespace

Result<std::string> ForeignValues::text_of(const ForeignArray& array) const {
  const std::string path = group_.directory_of(array) + key_of(array.form.keys, {});
  ESKER_ASSIGN_OR_RETURN(const bool exists, store_.exists(path));
  if (!exists) return std::string();
  ESKER_ASSIGN_OR_RETURN(std::string stored, read_text(store_, path, kMostTextBytes));
  if (!array.form.chain.codecs.empty()) {
    const auto frame = std::as_bytes(std::span(stored));
    auto size = zstd_decoded_bytes(frame);
    if (size.ok() && *size > Index{kMostTextBytes})
      size = error(Code::kUnsupported, "a text of {} bytes", *size);
    if (!size.ok()) return size.status().with_context(path);
    std::string decoded(static_cast<std::size_t>(*size), '\0');
    ESKER_RETURN_IF_ERROR(zstd_decode(frame, std::as_writable_bytes(std::span(decoded))).with_context(path));
    stored = std::move(decoded);
  }
  auto text = parse_text(std::as_bytes(std::span(stored)));
  if (!text.ok()) return text.status().with_context(path);
  return text;
}

Result<Index> ForeignValues::check_text(const ForeignArray& array) const {
  ESKER_RETURN_IF_ERROR(text_of(array).status());
  ESKER_ASSIGN_OR_RETURN(
      const auto file,
      store_.open(group_.directory_of(array) + key_of(array.form.keys, {}), OpenMode::kRead));
  return file->size_bytes();
}

Result<std::vector<std::byte>> ForeignValues::bytes_of(const ForeignArray& array, Index step) const {
  const StoredForm& form = array.form;
  const std::size_t first = step < 0 ? 0 : 1, rank = form.shape.size() - first;
  if (rank > kMaxRank)
    return error(Code::kUnsupported, "it has {} axes; at most {} are supported", rank, kMaxRank);
  Lattice all;
  all.rank = std::max(1, static_cast<int>(rank));
  for (std::size_t a = 0; a < rank; ++a) all.count[static_cast<int>(a)] = form.shape[first + rank - 1 - a];
  if (all.num_samples() > kMostCoordinates)
    return error(Code::kUnsupported, "it has {} values; at most {} are supported", all.num_samples(),
                 kMostCoordinates);
  ReadCounters counters;
  ChunkFiles files(store_, group_.directory_of(array), form, static_cast<int>(rank), step, counters);
  const ChunkedArray grid{all.count, files.chunk_extent(), files.sample_bytes()};
  std::vector<std::byte> bytes(static_cast<std::size_t>(all.num_samples() * grid.sample_bytes));
  const auto read = [&](const Point& chunk, const Lattice& part, std::byte* to) {
    return files.read(chunk, part, to);
  };
  ESKER_RETURN_IF_ERROR(read_chunks(grid, all, read, bytes.data()));
  return bytes;
}

/// Of an array that has one value for each step.
Result<AttributeValue> ForeignValues::time_of(std::size_t array, Index step) {
  const ForeignArray& of = group_.arrays[array];
  if (!times_.contains(array)) {
    ESKER_ASSIGN_OR_RETURN(const auto bytes, bytes_of(of, -1));
    ESKER_ASSIGN_OR_RETURN(times_[array], parse_values(bytes, of.type, of.form.shape.front()));
  }
  return std::visit(
      [&](const auto& list) -> Result<AttributeValue> {
        if (step >= std::ssize(list))
          return error(Code::kDataLoss, "array '{}' has no value of step {}", of.name, step);
        return to_value(Numbers(std::decay_t<decltype(list)>{list[static_cast<std::size_t>(step)]}));
      },
      times_[array]);
}

Result<AttributeValue> ForeignValues::read(const netcdf::Header& header, int variable, Index step) {
  const auto number = static_cast<std::size_t>(variable);
  const ForeignArray& array = group_.arrays[number];
  if (array.is_text) {
    ESKER_ASSIGN_OR_RETURN(std::string text, text_of(array));
    return netcdf::to_text(std::move(text));
  }
  const bool has_steps = header.is_record(header.variables[number]);
  if (has_steps && !array.is_characters && array.form.shape.size() == 1) return time_of(number, step);
  ESKER_ASSIGN_OR_RETURN(const auto bytes, bytes_of(array, has_steps ? step : -1));
  if (array.is_characters)
    return netcdf::to_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  ESKER_ASSIGN_OR_RETURN(const Numbers numbers,
                         parse_values(bytes, array.type, std::ssize(bytes) / size_bytes(array.type)));
  return to_value(numbers);
}

}  // namespace esker::zarr
