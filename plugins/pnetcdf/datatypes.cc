#include "datatypes.h"

#include <utility>

#include "constants.h"

namespace esker::pnetcdf {
namespace {

/// MPI's handles are pointers in one library and numbers in another: no switch.
std::optional<Type> named_type(MPI_Datatype datatype) {
  const std::pair<MPI_Datatype, Type> known[] = {{MPI_CHAR, Type::kChar},
                                                 {MPI_CHARACTER, Type::kChar},
                                                 {MPI_SIGNED_CHAR, Type::kByte},
                                                 {MPI_INTEGER1, Type::kByte},
                                                 {MPI_UNSIGNED_CHAR, Type::kUByte},
                                                 {MPI_BYTE, Type::kUByte},
                                                 {MPI_SHORT, Type::kShort},
                                                 {MPI_INTEGER2, Type::kShort},
                                                 {MPI_UNSIGNED_SHORT, Type::kUShort},
                                                 {MPI_INT, Type::kInt},
                                                 {MPI_INTEGER, Type::kInt},
                                                 {MPI_INTEGER4, Type::kInt},
                                                 {MPI_UNSIGNED, Type::kUInt},
                                                 {MPI_LONG, type_of<long>()},
                                                 {MPI_UNSIGNED_LONG, type_of<unsigned long>()},
                                                 {MPI_LONG_LONG_INT, Type::kInt64},
                                                 {MPI_INTEGER8, Type::kInt64},
                                                 {MPI_OFFSET, Type::kInt64},
                                                 {MPI_UNSIGNED_LONG_LONG, Type::kUInt64},
                                                 {MPI_FLOAT, Type::kFloat},
                                                 {MPI_REAL, Type::kFloat},
                                                 {MPI_REAL4, Type::kFloat},
                                                 {MPI_DOUBLE, Type::kDouble},
                                                 {MPI_REAL8, Type::kDouble},
                                                 {MPI_DOUBLE_PRECISION, Type::kDouble},
                                                 {MPI_INT8_T, Type::kByte},
                                                 {MPI_UINT8_T, Type::kUByte},
                                                 {MPI_INT16_T, Type::kShort},
                                                 {MPI_UINT16_T, Type::kUShort},
                                                 {MPI_INT32_T, Type::kInt},
                                                 {MPI_UINT32_T, Type::kUInt},
                                                 {MPI_INT64_T, Type::kInt64},
                                                 {MPI_UINT64_T, Type::kUInt64}};
  for (const auto& [named, type] : known) {
    if (named == datatype) return type;
  }
  return std::nullopt;
}

int decode_named(MPI_Datatype datatype, Elements& elements) {
  const std::optional<Type> type = named_type(datatype);
  if (!type) return NC_EUNSPTETYPE;
  const bool is_byte = datatype == MPI_BYTE;
  if (elements.has_values && (elements.type != *type || elements.is_byte != is_byte)) return NC_EMULTITYPES;
  elements.has_values = true;
  elements.type = *type;
  elements.is_byte = is_byte;
  return NC_NOERR;
}

void free_derived(MPI_Datatype& datatype) {
  int n[3] = {0, 0, 0};
  int combiner = 0;
  MPI_Type_get_envelope(datatype, &n[0], &n[1], &n[2], &combiner);
  if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&datatype);
}

int decode_inner(MPI_Datatype datatype, Elements& elements);

int decode_derived(MPI_Datatype datatype, int n_ints, int n_addresses, int n_types, Elements& elements) {
  std::vector<int> ints(static_cast<std::size_t>(n_ints) + 1);
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(n_addresses) + 1);
  std::vector<MPI_Datatype> types(static_cast<std::size_t>(n_types) + 1);
  MPI_Type_get_contents(datatype, n_ints, n_addresses, n_types, ints.data(), addresses.data(), types.data());
  int code = NC_NOERR;
  for (int i = 0; i < n_types; ++i) {
    MPI_Datatype& inner = types[static_cast<std::size_t>(i)];
    if (code == NC_NOERR) code = decode_inner(inner, elements);
    free_derived(inner);
  }
  return code;
}

int decode_inner(MPI_Datatype datatype, Elements& elements) {
  int n_ints = 0;
  int n_addresses = 0;
  int n_types = 0;
  int combiner = 0;
  MPI_Type_get_envelope(datatype, &n_ints, &n_addresses, &n_types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) return decode_named(datatype, elements);
  if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP) elements.is_dense = false;
  return decode_derived(datatype, n_ints, n_addresses, n_types, elements);
}

}  // namespace

int decode(MPI_Datatype datatype, Elements& elements) {
  elements = {};
  const int code = decode_inner(datatype, elements);
  if (code != NC_NOERR) return code;
  elements.is_named = named_type(datatype).has_value();
  int bytes = 0;
  MPI_Type_size(datatype, &bytes);
  elements.per_item = elements.has_values ? bytes / netcdf::size_bytes(elements.type) : 0;
  return NC_NOERR;
}

std::optional<Subarray> subarray_of(MPI_Datatype datatype) {
  int n_ints = 0;
  int n_addresses = 0;
  int n_types = 0;
  int combiner = 0;
  MPI_Type_get_envelope(datatype, &n_ints, &n_addresses, &n_types, &combiner);
  if (combiner != MPI_COMBINER_SUBARRAY) return std::nullopt;
  std::vector<int> ints(static_cast<std::size_t>(n_ints));
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  MPI_Aint none = 0;
  MPI_Type_get_contents(datatype, n_ints, 0, 1, ints.data(), &none, &inner);
  if (!named_type(inner)) {
    free_derived(inner);
    return std::nullopt;
  }
  int size = 0;
  MPI_Type_size(inner, &size);
  // The number of dimensions, their sizes, those of the part, where it starts, the order.
  const auto n = static_cast<std::size_t>(ints[0]);
  const bool is_reversed = ints[1 + 3 * n] == MPI_ORDER_FORTRAN;
  Subarray made{0, std::vector<Index>(n), std::vector<Index>(n)};
  Index stride = size;
  for (std::size_t d = n; d-- > 0;) {
    const std::size_t from = is_reversed ? n - 1 - d : d;
    made.count[d] = ints[1 + n + from];
    made.stride_bytes[d] = stride;
    made.first_byte += ints[1 + 2 * n + from] * stride;
    stride *= ints[1 + from];
  }
  return made;
}

std::vector<std::byte> pack(const void* values, Index n, MPI_Datatype datatype) {
  int item_bytes = 0;
  MPI_Type_size(datatype, &item_bytes);
  int room = 0;
  MPI_Pack_size(static_cast<int>(n), datatype, MPI_COMM_SELF, &room);
  std::vector<std::byte> dense(static_cast<std::size_t>(room));
  int position = 0;
  MPI_Pack(values, static_cast<int>(n), datatype, dense.data(), room, &position, MPI_COMM_SELF);
  dense.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(item_bytes));
  return dense;
}

UnpackLater::UnpackLater(void* values, Index n, MPI_Datatype datatype)
    : values_(values), n_(n), dense_(pack(values, n, datatype)) {
  MPI_Type_dup(datatype, &datatype_);
}

UnpackLater::UnpackLater(UnpackLater&& other) noexcept { *this = std::move(other); }

UnpackLater& UnpackLater::operator=(UnpackLater&& other) noexcept {
  std::swap(values_, other.values_);
  std::swap(n_, other.n_);
  std::swap(datatype_, other.datatype_);
  std::swap(dense_, other.dense_);
  return *this;
}

UnpackLater::~UnpackLater() {
  if (datatype_ != MPI_DATATYPE_NULL) MPI_Type_free(&datatype_);
}

void UnpackLater::unpack() {
  int position = 0;
  MPI_Unpack(dense_.data(), static_cast<int>(dense_.size()), &position, values_, static_cast<int>(n_),
             datatype_, MPI_COMM_SELF);
}

}  // namespace esker::pnetcdf
