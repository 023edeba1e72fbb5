// From what a call names to accesses of the file.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "transfer.h"

namespace esker::pnetcdf {
namespace {

/// The bytes between neighbors in memory.
void set_map(cdf::Access& access, const MPI_Offset* map, Index size) {
  for (std::size_t i = 0; i < access.count.size(); ++i) access.map_bytes.push_back(map[i] * size);
}

/// Sets the map of an access to a part of an array of the same shape, which needs no copy.
bool use_subarray(const Subarray& part, cdf::Access& access) {
  std::vector<Index> map(access.count.size());
  std::size_t next = 0;  // dimension of the part
  const auto skip_ones = [&] {
    while (next < part.count.size() && part.count[next] == 1) ++next;
  };
  for (std::size_t d = 0; d < map.size(); ++d) {
    if (access.count[d] == 1) continue;
    skip_ones();
    if (next == part.count.size() || part.count[next] != access.count[d]) return false;
    map[d] = part.stride_bytes[next++];
  }
  skip_ones();
  if (next < part.count.size()) return false;
  access.map_bytes = std::move(map);
  return true;
}

bool has_one_box(Place::Form form) { return form != Place::Form::kMap && form != Place::Form::kBoxes; }

bool has_items(const Memory& memory) { return memory.is_flexible && memory.datatype != MPI_DATATYPE_NULL; }

/// What the items of a datatype consist of, and the type of `total` values. NC_EIOMISMATCH: they have another
/// number of values. -1 items of one of MPI's own datatypes are as many as the boxes have (E3SM-IO passes
/// that).
int check_items(const Memory& memory, Index total, Type stored, Elements& elements, Type& type) {
  if (const int code = decode(memory.datatype, elements); code != NC_NOERR) return code;
  if (memory.n > std::numeric_limits<int>::max()) return NC_EINTOVERFLOW;
  const bool fits = elements.is_named && memory.n == -1;
  if (!fits && elements.per_item * memory.n != total) return NC_EIOMISMATCH;
  if (elements.has_values && !(elements.is_byte && netcdf::size_bytes(stored) == 1)) type = elements.type;
  return are_alike(type, stored) ? NC_NOERR : NC_ECHAR;
}

/// Lets `values` of items that are not dense point to a packed copy, or the access have a map of the memory.
void use_datatype(Direction direction, const Part& part, Prepared& prepared, cdf::Access& access,
                  void*& values) {
  const Memory& memory = part.memory;
  if (direction == Direction::kIn && memory.n == 1 && has_one_box(part.place.form)) {
    const std::optional<Subarray> subarray = subarray_of(memory.datatype);
    if (subarray && use_subarray(*subarray, access)) {
      values = static_cast<std::byte*>(values) + subarray->first_byte;
      return;
    }
  }
  if (direction == Direction::kIn) {
    prepared.copy = pack(values, memory.n, memory.datatype);
    values = prepared.copy.data();
  } else {
    prepared.unpack = UnpackLater(values, memory.n, memory.datatype);
    values = prepared.unpack.dense();
  }
}

/// The range of items of a datatype.
MemoryRange range_of_items(const Memory& memory) {
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  int size = 0;
  MPI_Type_size(memory.datatype, &size);
  MPI_Type_get_extent(memory.datatype, &lower, &extent);
  MPI_Type_get_true_extent(memory.datatype, &true_lower, &true_extent);
  MemoryRange range{true_lower, true_lower + true_extent + (memory.n - 1) * extent};
  range.has_gaps = range.end - range.begin > memory.n * size;
  return range;
}

/// Where the values are, relative to the address of the call. `values`: of a map, or of a dense list.
MemoryRange range_of(const Part& part, const MemoryRange& values) {
  if (!has_items(part.memory) || part.memory.n <= 0) return values;
  const MemoryRange items = range_of_items(part.memory);
  if (part.place.form != Place::Form::kMap) return items;
  return {std::min(values.begin, items.begin), std::max(values.end, items.end), true};
}

void set_memory(cdf::Access& access, Direction direction, Type type, std::byte* values) {
  access.memory_type = type;
  if (direction == Direction::kIn) {
    access.values = values;
  } else {
    access.target = values;
  }
}

}  // namespace

int prepare(const OpenFile& file, Direction direction, const Part& part, Prepared& prepared) {
  const cdf::Variable& variable = file.variable(part.variable);
  cdf::Access access = access_of(file, part.variable, part.place);
  const bool has_boxes = part.place.form != Place::Form::kBoxes || part.place.n_boxes > 0;
  const Index total = has_boxes ? n_values(file, access) : 0;
  Type type = part.memory.is_flexible ? variable.type : part.memory.type;
  Elements elements;
  if (has_items(part.memory)) {
    const int code = check_items(part.memory, total, variable.type, elements, type);
    if (code != NC_NOERR) return code;
  }
  if (total == 0) return NC_NOERR;
  const Index size = netcdf::size_bytes(type);
  const bool has_map = part.place.form == Place::Form::kMap && part.place.map != nullptr;
  if (has_map) set_map(access, part.place.map, size);
  const MemoryRange range =
      has_map ? range_of_steps(access.count, access.map_bytes, size) : MemoryRange{0, total * size};
  void* values = part.memory.values;
  const Status taken = prepared.mirror.take(static_cast<std::byte*>(values), range_of(part, range),
                                            direction == Direction::kOut);
  if (!taken.ok()) return code_of(taken);
  if (prepared.mirror.is_used()) values = prepared.mirror.values();
  if (has_items(part.memory) && !elements.is_dense) use_datatype(direction, part, prepared, access, values);
  type = memory_type_for(type, variable.type, file.header().version);
  set_memory(access, direction, type, static_cast<std::byte*>(values));
  const bool is_packed = !prepared.copy.empty() || prepared.unpack.is_needed();
  if (is_packed && range.end > total * size) return NC_EINVAL;
  prepared.accesses.push_back(std::move(access));
  prepared.bytes = total * netcdf::size_bytes(variable.type);
  return NC_NOERR;
}

}  // namespace esker::pnetcdf
