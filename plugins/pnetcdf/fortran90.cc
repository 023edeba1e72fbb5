#include "fortran90.h"

#include <algorithm>
#include <optional>

#include "forms.h"
#include "fortran.h"

namespace esker::pnetcdf {
namespace {

/// The numbers of an array for the dimensions of a variable, in the order of C. Those that the program left
/// out are `missing`.
std::vector<MPI_Offset> list_of(const FortranArray* array, int rank, std::size_t n_dims, MPI_Offset missing) {
  std::vector<MPI_Offset> list = array == nullptr ? std::vector<MPI_Offset>() : numbers_of(*array, rank);
  list.resize(n_dims, missing);
  std::reverse(list.begin(), list.end());
  return list;
}

std::vector<MPI_Offset> start_of(const FortranArray* array, int rank, std::size_t n_dims) {
  std::vector<MPI_Offset> list = list_of(array, rank, n_dims, 1);
  for (MPI_Offset& number : list) --number;
  return list;
}

/// As many values as the section has. As in PnetCDF, arrays of texts have none in further dimensions.
std::vector<MPI_Offset> count_of(const Section& section, std::size_t n_dims) {
  const bool has_texts = section.type() == Type::kChar && section.count().size() > 1;
  std::vector<MPI_Offset> list(n_dims, has_texts ? 0 : 1);
  const std::size_t n = std::min(section.count().size(), n_dims);
  std::copy_n(section.count().rbegin(), n, list.rbegin());
  return list;
}

/// The map of memory by which a box of `count` values gets the first values of the section. Empty: none does,
/// because its rows are not those of the section.
std::vector<MPI_Offset> map_of(const Section& section, const std::vector<MPI_Offset>& count) {
  std::vector<MPI_Offset> map(count.size(), 1);
  std::size_t axis = section.count().size();
  bool is_part = false;  // only of the slowest axis
  for (std::size_t i = count.size(); i-- > 0;) {
    if (count[i] == 1) continue;
    while (axis > 0 && section.count()[axis - 1] == 1) --axis;
    if (is_part || axis == 0 || count[i] > section.count()[axis - 1]) return {};
    --axis;
    is_part = count[i] < section.count()[axis];
    map[i] = section.step_bytes()[axis] / section.value_bytes();
  }
  return map;
}

/// Makes the part of a call, which a rank without memory cannot, and calls. `dense` is set meanwhile if it
/// needs the values as a list.
template <class Make>
int move(const Fortran90Call& call, const Make& make) {
  std::optional<DenseValues> dense;
  if (call.request == nullptr) {
    const int moved = move_many(call.direction, call.all, call.ncid, 1, [&](int) { return make(dense); });
    const int given = dense ? dense->give_back() : int{NC_NOERR};
    return moved != NC_NOERR ? moved : given;
  }
  *call.request = NC_REQ_NULL;
  return guarded([&]() -> int {
    const Part part = make(dense);
    const bool is_copy = dense && dense->is_copy();
    if (is_copy && call.direction == Direction::kOut) return NC_EINVAL;  // gone when values come
    const Copy copy = is_copy && call.copy == Copy::kNo ? Copy::kYes : call.copy;
    return move_later(call.direction, copy, call.ncid, part, call.request);
  });
}

Memory memory_of(const Section& values, const Items& items, void* first) {
  if (items.datatype == nullptr) return {first, false, values.type(), 0, MPI_DATATYPE_NULL};
  const MPI_Offset n = items.n == nullptr ? values.n_values() : *items.n;
  return items_of(first, n, MPI_Type_f2c(*items.datatype));
}

std::size_t dimensions_of(const Fortran90Call& call) {
  return static_cast<std::size_t>(n_dims_of(call.ncid, call.variable));
}

}  // namespace

int move_value(const Fortran90Call& call, const Section& value, const FortranArray* start, int start_rank,
               const Items& items) {
  std::vector<MPI_Offset> from;
  return move(call, [&](auto&) {
    from = start_of(start, start_rank, dimensions_of(call));
    return Part{call.variable, one(from.data()), memory_of(value, items, value.first())};
  });
}

int move_array(const Fortran90Call& call, const Section& values, const Lists& lists, const Items& items) {
  std::vector<MPI_Offset> start, count, stride, map;
  return move(call, [&](std::optional<DenseValues>& dense) {
    const std::size_t n_dims = dimensions_of(call);
    start = start_of(lists.start, 1, n_dims);
    count = lists.count == nullptr ? count_of(values, n_dims) : list_of(lists.count, 1, n_dims, 1);
    stride = list_of(lists.stride, 1, n_dims, 1);
    if (lists.map != nullptr) {
      map = list_of(lists.map, 1, n_dims, 1);
    } else if (items.datatype == nullptr && !values.is_dense()) {
      map = map_of(values, count);
    }
    std::byte* first = values.first();
    if (lists.map != nullptr || map.empty()) {
      first = dense.emplace(values, call.direction == Direction::kOut).first();
    }
    const MPI_Offset* strides = lists.stride == nullptr ? nullptr : stride.data();
    const MPI_Offset* maps = map.empty() ? nullptr : map.data();
    return Part{call.variable, mapped(start.data(), count.data(), strides, maps),
                memory_of(values, items, first)};
  });
}

int move_boxes(const Fortran90Call& call, const Section& values, int n, const FortranArray* starts,
               const FortranArray* counts) {
  std::optional<IndexLists> from, size;
  return move(call, [&](std::optional<DenseValues>& dense) {
    const std::size_t n_numbers = dimensions_of(call) * static_cast<std::size_t>(std::max(n, 0));
    const auto lists_of = [&](const FortranArray* array, MPI_Offset first) {
      std::vector<MPI_Offset> numbers = array == nullptr ? std::vector<MPI_Offset>() : numbers_of(*array, 2);
      numbers.resize(n_numbers, 1);
      return IndexLists(call.ncid, call.variable, n, numbers.data(), first);
    };
    dense.emplace(values, call.direction == Direction::kOut);
    return Part{call.variable, boxes(n, from.emplace(lists_of(starts, 1)), size.emplace(lists_of(counts, 0))),
                memory_of(values, {}, dense->first())};
  });
}

}  // namespace esker::pnetcdf
